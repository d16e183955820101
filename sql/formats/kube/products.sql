-- kube/products.sql - what chips labels of nodes stand for.
--
-- Makes kube_products.
-- A part of kube.sql, which says what the parameters are.

-- GKE's names of chips, and machine types of AWS, Azure, Google, Oracle, CoreWeave, Nebius and DigitalOcean, which mpg_chips
-- does not know. The A10G of a g5 is no A10, and GKE's P100 are cards, slower than an SXM2.
DROP TABLE IF EXISTS temp.kube_products;
CREATE TEMP TABLE kube_products(product, chip);
INSERT INTO kube_products VALUES
  ('nvidia-tesla-t4', 'nvidia-t4'), ('nvidia-tesla-p100', 'nvidia-p100-pcie'), ('nvidia-tesla-v100', 'nvidia-v100-sxm2-16'),
  ('nvidia-l4', 'nvidia-l4'), ('nvidia-tesla-a100', 'nvidia-a100-40-sxm4'), ('nvidia-a100-80gb', 'nvidia-a100-80-sxm4'),
  ('nvidia-h100-80gb', 'nvidia-h100-sxm'), ('nvidia-h100-mega-80gb', 'nvidia-h100-sxm'), ('nvidia-h200-141gb', 'nvidia-h200-sxm'),
  ('nvidia-rtx-pro-6000', 'nvidia-rtx-pro-6000-server'),
  ('tpu-v4-podslice', 'tpu-v4'), ('tpu-v5-lite-podslice', 'tpu-v5e'), ('tpu-v5-lite-device', 'tpu-v5e'), ('tpu-v5p-slice', 'tpu-v5p'),
  ('tpu-v6e-slice', 'tpu-v6e'), ('tpu-v6e-device', 'tpu-v6e'), ('trn1', 'aws-trainium1'), ('trn1n', 'aws-trainium1'),
  ('trn2', 'aws-trainium2'), ('trn2u', 'aws-trainium2'), ('trn3', 'aws-trainium3'), ('inf2', 'aws-inferentia2'),
  ('g4dn', 'nvidia-t4'), ('g5', 'nvidia-a10g'), ('g6', 'nvidia-l4'), ('g6e', 'nvidia-l40s'), ('g7e', 'nvidia-rtx-pro-6000-server'),
  ('p3', 'nvidia-v100-sxm2-16'), ('p3dn', 'nvidia-v100-sxm2-32'), ('p4d', 'nvidia-a100-40-sxm4'),
  ('p4de', 'nvidia-a100-80-sxm4'), ('p5', 'nvidia-h100-sxm'), ('p5e', 'nvidia-h200-sxm'), ('p5en', 'nvidia-h200-sxm'),
  ('p6-b200', 'nvidia-b200'), ('p6-b300', 'nvidia-b300'), ('p6e-gb200', 'nvidia-gb200'), ('p6e-gb300', 'nvidia-gb300'),
  ('p6e-gb300r', 'nvidia-gb300'),
  ('Standard_ND*_H100_v5', 'nvidia-h100-sxm'), ('Standard_NC*_H100_v5', 'nvidia-h100-nvl'), ('Standard_ND*_H200_v5', 'nvidia-h200-sxm'),
  ('Standard_ND96asr_v4', 'nvidia-a100-40-sxm4'),
  ('Standard_ND*_A100_v4', 'nvidia-a100-80-sxm4'), ('Standard_NC*_A100_v4', 'nvidia-a100-80-pcie'),
  ('Standard_ND*_GB200_v6', 'nvidia-gb200'), ('Standard_ND*_GB300_v6', 'nvidia-gb300'),
  ('Standard_ND*_MI300X_v5', 'amd-mi300x'), ('Standard_NC*_T4_v3', 'nvidia-t4'),
  ('a2-highgpu-*', 'nvidia-a100-40-sxm4'), ('a2-megagpu-*', 'nvidia-a100-40-sxm4'), ('a2-ultragpu-*', 'nvidia-a100-80-sxm4'),
  ('a3-highgpu-*', 'nvidia-h100-sxm'), ('a3-megagpu-*', 'nvidia-h100-sxm'),
  ('a3-edgegpu-*', 'nvidia-h100-sxm'), ('a3-ultragpu-*', 'nvidia-h200-sxm'), ('a4-highgpu-*', 'nvidia-b200'),
  ('a4x-highgpu-*', 'nvidia-gb200'), ('g2-standard-*', 'nvidia-l4'),
  ('BM.GPU4.8', 'nvidia-a100-40-sxm4'), ('BM.GPU.B4.8', 'nvidia-a100-40-sxm4'), ('BM.GPU.A100-v2.8', 'nvidia-a100-80-sxm4'),
  ('BM.GPU.H100.8', 'nvidia-h100-sxm'), ('BM.GPU.H200.8', 'nvidia-h200-sxm'),
  ('BM.GPU.B200.8', 'nvidia-b200'), ('BM.GPU.GB200.4', 'nvidia-gb200'), ('BM.GPU.MI300X.8', 'amd-mi300x'),
  ('gd-8xh100ib-*', 'nvidia-h100-sxm'), ('gd-8xh200ib-*', 'nvidia-h200-sxm'), ('gd-8xb200ib-*', 'nvidia-b200'),
  ('gpu-h100-sxm*', 'nvidia-h100-sxm'), ('gpu-h200-sxm*', 'nvidia-h200-sxm'), ('gpu-b200-sxm*', 'nvidia-b200'),
  ('gpu-b300-sxm*', 'nvidia-b300'), ('gpu-l40s-*', 'nvidia-l40s'), ('gpu-h100x*', 'nvidia-h100-sxm'), ('gpu-h200x*', 'nvidia-h200-sxm'),
  ('gpu-mi300x*', 'amd-mi300x');
