/*
** kube_chips.h - accelerators among the resources of Kubernetes: what a quantity of them is in
** chips.
*/
#ifndef MPG_KUBE_CHIPS_H
#define MPG_KUBE_CHIPS_H

#include "../../base/base.h"

typedef enum mpg_kube_unit {
  MPG_KUBE_NO_CHIP,   /* cpu, memory, a network card, ... */
  MPG_KUBE_CHIP,      /* a whole chip, or a known part of one */
  MPG_KUBE_GUESS,     /* a part of a chip that could be another one on another kind of chip */
  MPG_KUBE_NOT_A_CHIP /* a part of an accelerator; how many chips it is cannot be known */
} mpg_kube_unit;

/*
** One unit of a resource, in millionths of a chip: 1000000 for nvidia.com/gpu, google.com/tpu and
** the like. A MIG device (nvidia.com/mig-2g.10gb) is its share of the GPU's 7 compute slices; of 4
** if its memory is that of a GPU with 4 (A30, RTX PRO 6000).
*/
mpg_kube_unit mpg_kube_resource(mpg_str name, int64_t *millionths);
/* The same for MIG devices that are offered as GPUs. Their profile is in the product's name if GPU
** feature discovery wrote it ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"); else it is `profile`.
** MPG_KUBE_NO_CHIP: whole GPUs. */
mpg_kube_unit mpg_kube_product_share(mpg_str product, mpg_str profile, int64_t *millionths);

/* How many devices, offered as GPUs, one AMD GPU is that is partitioned so: of "cpx_nps4" 8 (of an
** MI300A 6), of "spx_nps1", and of what is not known, 1. */
int64_t mpg_kube_partitions(mpg_str mode, mpg_str product);

/* A quantity of a resource, "8", "500m", "1k", "16Gi", "1e3", in millionths; false for anything
** else, and for what does not fit. */
bool mpg_kube_quantity(mpg_str text, int64_t *millionths);

#endif
