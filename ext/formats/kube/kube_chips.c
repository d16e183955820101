/* kube_chips.c - see kube_chips.h. */
#include "kube_chips.h"
#include "../../base/ascii.h"
#include "../../base/number.h"

#include <string.h>

#define WHOLE 1000000

/* Reads digits at `at` followed by `unit`, and moves past both. -1: they are not there. */
static int64_t read_number(mpg_str s, size_t *at, const char *unit) {
  size_t from = *at, end = from;
  int64_t number;
  while (end < s.n && s.p[end] >= '0' && s.p[end] <= '9')
    end++;
  if (end - from > 4 || !mpg_int_parse((mpg_str){s.p + from, end - from}, &number) ||
      !mpg_str_starts_with((mpg_str){s.p + end, s.n - end}, mpg_str_of(unit)))
    return -1;
  *at = end + strlen(unit);
  return number;
}

/* Slices of an A30 have 6 GB each, of an RTX PRO 6000 24 GB: no GPU of 7 slices has 2 with 12 or
** 48, or 4 with 24 or 96 of them. A single slice of 24 GB is also one of a GPU of 96 GB with
** memory of two. Source: the profiles in "NVIDIA Multi-Instance GPU User Guide". */
static mpg_kube_unit slices_of(mpg_str s, int64_t *millionths) {
  size_t at = 0;
  int64_t slices = read_number(s, &at, "g."), gigabytes = read_number(s, &at, "gb"), each;
  bool quarter;
  /* What follows (".me", ".gfx") changes nothing. */
  if (slices < 1 || slices > 7 || gigabytes < 0)
    return MPG_KUBE_NOT_A_CHIP;
  each = gigabytes / slices;
  quarter = (slices == 1 && gigabytes == 6) ||
            ((slices == 2 || slices == 4) && each * slices == gigabytes &&
             (each == 6 || (each == 24 && gigabytes > 24)));
  *millionths = WHOLE * slices / (quarter ? 4 : 7);
  return slices == 1 && gigabytes == 24 ? MPG_KUBE_GUESS : MPG_KUBE_CHIP;
}

/* "Ascend910B4", "Ascend310P": whole chips of the device plugin, and so are "ascend-310" and
** "ascend-1980" of Huawei Cloud's. Another name with a "-" is a part of one ("Ascend310P-4c",
** "Ascend910B4-memory"). */
static bool is_ascend(mpg_str name) {
  static const char prefix[] = "huawei.com/Ascend";
  size_t n = sizeof prefix - 1, digits;
  if (name.n <= n || !mpg_str_eq_nocase((mpg_str){name.p, n}, MPG_STR(prefix)))
    return false;
  for (digits = name.n; digits > n && mpg_is_digit(name.p[digits - 1]);)
    digits--;
  return memchr(name.p + n, '-', name.n - n) == NULL ||
         (digits == n + 1 && name.p[n] == '-' && digits < name.n);
}

/* Whether a word of a name begins as those of accelerators do: "gpu-core", "vgpu", "dcunum". */
static bool names_an_accelerator(mpg_str name) {
  static const char *const words[] = {"gpu", "npu", "tpu",  "xpu",    "ppu",   "gcu",    "dcu",
                                      "mlu", "ipu", "qaic", "neuron", "gaudi", "ascend", "accel"};
  for (size_t i = 0; i < name.n; i++) {
    size_t at = i;
    if (i > 0 && mpg_is_letter(name.p[i - 1]))
      continue;
    for (size_t shared = 0; shared < 2; shared++) {
      for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = strlen(words[k]);
        if (name.n - at >= n &&
            mpg_str_eq_nocase((mpg_str){name.p + at, n}, (mpg_str){words[k], n}))
          return true;
      }
      if (name.n - at < 2 || strchr("vsp", name.p[at]) == NULL) /* virtual, shared, physical */
        break;
      at++;
    }
  }
  return false;
}

/* Resources of which one is a chip. */
static const char *const chips[] = {
    "nvidia.com/gpu",
    "nvidia.com/gpu.shared",
    "amd.com/gpu",
    "google.com/tpu",
    "aws.amazon.com/neuron",
    "habana.ai/gaudi",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "cambricon.com/mlu",
    "hygon.com/dcu",
    "metax-tech.com/gpu",
    "mthreads.com/gpu",
    "kunlunxin.com/xpu",
    "iluvatar.ai/gpu",
    "enflame.com/gcu",
    "birentech.com/gpu",
    "iluvatar.com/gpu",
    "aws.amazon.com/neurondevice",
    /* Devices of a class (DRA) requested as a resource, by the name of the class. */
    "deviceclass.resource.kubernetes.io/gpu.nvidia.com",
    "deviceclass.resource.kubernetes.io/tpu.google.com",
    "deviceclass.resource.kubernetes.io/gpu.amd.com",
    "deviceclass.resource.kubernetes.io/neuron.aws.com",
    "deviceclass.resource.kubernetes.io/gaudi.intel.com",
    "deviceclass.resource.kubernetes.io/gpu.intel.com",
};

/* Who makes nothing but accelerators, and parts of GPUs whose names do not say what they are. */
static const char *const parts[] = {
    "tencent.com/vcuda-",
    "amd.com/",
    "huawei.com/",
    "cambricon.com/",
    "hygon.com/",
    "metax-tech.com/",
    "mthreads.com/",
    "kunlunxin.com/",
    "iluvatar.ai/",
    "enflame.com/",
    "habana.ai/",
    "run.ai/",
    "birentech.com/",
    "vastaitech.com/",
    "tenstorrent.com/",
    "furiosa.ai/",
    "rebellions.ai/",
    "graphcore.ai/",
    "qualcomm.com/",
    "cloud-tpus.google.com/",
    "deviceclass.resource.kubernetes.io/mig.nvidia.com",
};

mpg_kube_unit mpg_kube_resource(mpg_str name, int64_t *millionths) {
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
    if (mpg_str_eq(name, mpg_str_of(chips[i]))) {
      *millionths = WHOLE;
      return MPG_KUBE_CHIP;
    }
  if (is_ascend(name)) {
    *millionths = WHOLE;
    return MPG_KUBE_CHIP;
  }
  if (mpg_str_starts_with(name, MPG_STR("nvidia.com/mig-")))
    return slices_of((mpg_str){name.p + 15, name.n - 15}, millionths);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (mpg_str_starts_with(name, mpg_str_of(parts[i])))
      return MPG_KUBE_NOT_A_CHIP;
  /* A model of NVIDIA's ("nvidia.com/A100"), and whatever is called an accelerator. */
  if ((mpg_str_starts_with(name, MPG_STR("nvidia.com/")) && name.n > 11 && name.p[11] >= 'A' &&
       name.p[11] <= 'Z') ||
      (memchr(name.p, '/', name.n) != NULL && names_an_accelerator(name)))
    return MPG_KUBE_NOT_A_CHIP;
  return MPG_KUBE_NO_CHIP;
}

mpg_kube_unit mpg_kube_product_share(mpg_str product, mpg_str profile, int64_t *millionths) {
  mpg_kube_unit unit;
  bool four = false; /* slices */
  for (size_t i = 0; i < product.n; i++) {
    mpg_str rest = {product.p + i, product.n - i};
    four |= rest.n >= 12 && mpg_str_eq_nocase((mpg_str){rest.p, 12}, MPG_STR("RTX-PRO-6000"));
    if (mpg_str_starts_with(rest, MPG_STR("-MIG-")))
      profile = (mpg_str){rest.p + 5, rest.n - 5};
  }
  unit = profile.n == 0 ? MPG_KUBE_NO_CHIP : slices_of(profile, millionths);
  if (unit != MPG_KUBE_GUESS)
    return unit;
  *millionths = WHOLE / (four ? 4 : 7);
  return MPG_KUBE_CHIP;
}

int64_t mpg_kube_partitions(mpg_str mode, mpg_str product) {
  static const char *const modes[] = {"dpx_", "tpx_", "qpx_"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (mpg_str_starts_with(mode, mpg_str_of(modes[i])))
      return (int64_t)i + 2;
  if (!mpg_str_starts_with(mode, MPG_STR("cpx_")))
    return 1;
  /* A partition for each of its dies. */
  return mpg_str_starts_with(product, MPG_STR("AMD_Instinct_MI300A")) ? 6 : 8;
}

bool mpg_kube_quantity(mpg_str text, int64_t *millionths) {
  static const struct {
    const char *suffix;
    int64_t times;
  } units[] = {{"Ki", INT64_C(1) << 10},
               {"Mi", INT64_C(1) << 20},
               {"Gi", INT64_C(1) << 30},
               {"Ti", INT64_C(1) << 40},
               {"k", 1000},
               {"M", 1000000},
               {"G", 1000000000},
               {"T", 1000000000000}};
  if (text.n > 0 && text.p[text.n - 1] == 'm')
    return mpg_scaled_parse((mpg_str){text.p, text.n - 1}, 3, millionths);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t n = strlen(units[i].suffix);
    if (text.n > n && memcmp(text.p + text.n - n, units[i].suffix, n) == 0)
      return mpg_scaled_parse((mpg_str){text.p, text.n - n}, 6, millionths) &&
             !__builtin_mul_overflow(*millionths, units[i].times, millionths);
  }
  return mpg_scaled_parse(text, 6, millionths);
}
