-- The roofline over the built-in catalogue.
SELECT roofline_seconds(275e12, 'tpu-v4') AS compute, roofline_seconds(275e12, 2.4e12, 'tpu-v4') AS memory,
       roofline_bound(275e12, 2.4e12, 'TPU v4') AS bound;
SELECT roofline_ideal(flops, bytes, 'tpu-v4'), roofline_ideal(flops, 'tpu-v4') AS compute
FROM (VALUES (275e12, 0), (27.5e12, 1.2e12), (NULL, 1)) AS op(flops, bytes);
SELECT chip_peak_flops('tpu-v4'), chip_peak_flops('nvidia-h100-sxm', 'fp8'), chip_bandwidth('tpu-v4');
SELECT roofline_seconds(1, 'tpu-v44');
SELECT roofline_seconds(1, 0, 'tpu-v4', 'fp4');
