/*
** Tests of ext/program/hlo/hlo_collective.c by instructions: bytes on the links, ranks and devices,
** and whether a module is one device's part or the whole (docs/formats/hlo.md).
*/
#include "hlo_priced.h"
#include "../../ext/program/hlo/hlo_rules.h"

static void collective(const char *header, const char *root, long long ranks, long long devices,
                       long long whole, long long wire) {
  char text[1024];
  const mpg_hlo_price *r;
  priced p;
  bool good;
  (void)snprintf(text, sizeof text,
                 "HloModule m%s\n" ADD "ENTRY e { a = f32[24] parameter(0) ROOT r = %s }\n", header,
                 root);
  price_text(&p, text);
  r = price_of(&p, "r");
  good = r->ranks == ranks && p.cost.devices == devices && r->own.of[MPG_HLO_COLLECTIVE] == whole &&
         r->own.of[MPG_HLO_WIRE] == wire;
  CHECK(good);
  if (!good)
    (void)fprintf(stderr, "  %s\n  found %lld ranks of %lld, %lld, %lld\n", root,
                  (long long)r->ranks, (long long)p.cost.devices,
                  (long long)r->own.of[MPG_HLO_COLLECTIVE], (long long)r->own.of[MPG_HLO_WIRE]);
  done(&p);
}

/* (n - 1) / n V, twice that for an all-reduce, V for a permute: nccl-tests' doc/PERFORMANCE.md. */
static void test_collectives(void) {
  collective("", "f32[24] all-reduce(a), replica_groups={{0,1,2,3}}, to_apply=add", 4, 4, 96, 144);
  collective("", "f32[48] all-gather(a), dimensions={0}, replica_groups={{0,1},{2,3}}", 2, 4, 192,
             96);
  collective("", "(f32[24], f32[48]) all-gather-start(a), dimensions={0}, replica_groups={{0,1}}",
             2, 2, 192, 96);
  collective("", "f32[6] reduce-scatter(a), replica_groups={{0,1,2,3}}, to_apply=add", 4, 4, 96,
             72);
  collective("", "f32[24] all-to-all(a), replica_groups={{0,1,2,3}}", 4, 4, 96, 72);
  collective("", "f32[24] collective-permute(a), source_target_pairs={{0,1},{1,0}}", 2, 2, 96, 96);
  /* Of a ragged one the input is the first operand; then come the output's room, and how it is
  ** cut. */
  collective("", "f32[24] ragged-all-to-all(a, a, a, a, a, a), replica_groups={{0,1,2,3}}", 4, 4,
             96, 72);
  /* Several arrays at a time, as XLA combines them. */
  collective("", "(f32[6], f32[6], f32[6]) reduce-scatter(a, a, a), replica_groups={{0,1,2,3}}", 4,
             4, 288, 216);
  collective("", "(f32[24], f32[24]) all-to-all(a, a), replica_groups={{0,1}}", 2, 2, 192, 96);
  collective(", num_partitions=8", "(f32[72], f32[72]) all-gather(a, a), dimensions={0}", 3, 8, 576,
             384);
  collective("", "(f32[24], f32[24]) all-reduce(a, a), replica_groups={{0,1}}, to_apply=add", 2, 2,
             192, 192);
  /* Groups of one move nothing, though there are more devices. */
  collective(", num_partitions=8", "f32[24] all-reduce(a), replica_groups={{0},{1}}, to_apply=add",
             1, 8, 96, 0);
  collective(", num_partitions=8",
             "f32[72] all-gather(a), dimensions={0}, replica_groups={{0},{1}}", 1, 8, 288, 0);
  collective(", num_partitions=8",
             "f32[8] reduce-scatter(a), replica_groups={{0},{1}}, to_apply=add", 1, 8, 96, 0);
  /* Groups of replicas, with all of their partitions: with a channel, and not by the numbers of
  ** all devices. */
  collective(", num_partitions=8",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0}}, to_apply=add", 8, 8, 96,
             168);
  collective(", num_partitions=4, replica_count=2",
             "f32[24] all-reduce-start(a), channel_id=1, replica_groups={{0},{1}}, "
             "use_global_device_ids=false, to_apply=add",
             4, 8, 96, 144);
  collective(", num_partitions=4, replica_count=2",
             "f32[3] reduce-scatter(a), channel_id=1, replica_groups={{0,1}}, to_apply=add", 8, 8,
             96, 84);
  collective(", num_partitions=4, replica_count=2",
             "f32[192] all-gather(a), dimensions={0}, channel_id=1, replica_groups=[1,2]<=[2]", 8,
             8, 768, 672);
  collective(", num_partitions=2147483647",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0}}, to_apply=add", INT32_MAX,
             INT32_MAX, 96, 191);
  collective(", num_partitions=8",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0},{1}}, "
             "use_global_device_ids=true, to_apply=add",
             1, 8, 96, 0);
  collective(", num_partitions=8",
             "f32[24] all-reduce(a), channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, "
             "to_apply=add",
             4, 8, 96, 144);
  collective(", num_partitions=8", "f32[24] all-to-all(a), channel_id=1, replica_groups={{0}}", 1,
             8, 96, 0);
  /* Without groups: by the shapes, which must divide; else everybody; no more than 2^31 - 1. */
  collective(", num_partitions=8", "f32[72] all-gather(a), dimensions={0}", 3, 8, 288, 192);
  collective(", num_partitions=8", "f32[8] reduce-scatter(a), to_apply=add", 3, 8, 96, 64);
  collective(", num_partitions=8", "f32[0] reduce-scatter(a), to_apply=add", 8, 8, 96, 84);
  collective(", num_partitions=8", "f32[24] all-gather(a), dimensions={0}", 8, 8, 96, 84);
  collective(", num_partitions=2, replica_count=4",
             "f32[24] all-reduce(a), channel_id=1, to_apply=add", 8, 8, 96, 168);
  collective(", num_partitions=65536, replica_count=65536",
             "f32[24] all-reduce(a), channel_id=1, to_apply=add", INT32_MAX, INT32_MAX, 96, 191);
  collective(", num_partitions=1073741823, replica_count=2",
             "f32[24] all-reduce(a), channel_id=1, to_apply=add", INT32_MAX - 1, INT32_MAX - 1, 96,
             191);
  collective(", num_partitions=2, replica_count=1073741824",
             "f32[24] all-reduce(a), channel_id=1, to_apply=add", INT32_MAX, INT32_MAX, 96, 191);
  collective(", num_partitions=2, replica_count=4", "f32[24] all-reduce(a), to_apply=add", 4, 8, 96,
             144);
  collective("", "s8[96000000000000] all-gather(a), dimensions={0}", 1, 1, 96000000000000, 0);
  /* Groups that no machine has. */
  collective("", "f32[24] all-reduce(a), replica_groups=[1,9223372036854775807]<=[8], to_apply=add",
             INT32_MAX, INT32_MAX, 96, 191);
  collective("", "f32[24] all-reduce(a), replica_groups=[4,-2]<=[8], to_apply=add", 1, 1, 96, 0);
}

static void scope(const char *header, const char *root, bool global, const char *evidence) {
  char text[1024];
  priced p;
  (void)snprintf(text, sizeof text,
                 "HloModule m%s\nENTRY e { a = f32[8] parameter(0) ROOT r = %s }", header, root);
  price_text(&p, text);
  CHECK(p.cost.is_global == global && strncmp(p.cost.evidence, evidence, strlen(evidence)) == 0);
  done(&p);
}

/* docs/formats/hlo.md, "Per device or of all devices": the first of these that holds. */
static void test_scope(void) {
  static const char *const annotations[] = {"Sharding", "SPMDFullToShardShape", "xla.sdy.X"};
  scope("", "f32[8] negate(a)", false, "one partition");
  for (int k = 0; k < 3; k++) {
    char root[128];
    (void)snprintf(root, sizeof root, "f32[8] custom-call(a), custom_call_target=\"%s\"",
                   annotations[k]);
    scope(", is_scheduled=true, num_partitions=2", root, true, "sharding annotations");
    scope(", num_partitions=1", root, false, "one partition");
  }
  scope(", num_partitions=2", "f32[8] custom-call(a), custom_call_target=\"foo\"", true,
        "several partitions");
  scope(", num_partitions=2", "f32[8] custom-call(a), custom_call_target=\"__cublas$gemm\"", true,
        "several partitions");
  scope(", num_partitions=2", "f32[8] custom-call(a), custom_call_target=\"xla.sdx.Sharding\"",
        true, "several partitions");
  scope(", num_partitions=2", "f32[8] all-gather(a)", false, "collectives");
  scope(", num_partitions=2, is_scheduled=true", "f32[8] negate(a)", false, "is_scheduled=true");
  scope(", num_partitions=2, is_scheduled=false", "f32[8] negate(a)", true, "several partitions");
  scope(", num_partitions=2", "f32[8] fusion(a), kind=kLoop", false, "fusions");
  scope(", num_partitions=2", "f32[8] all-reduce(a)", false, "collectives");
  scope(", num_partitions=2", "f32[8] collective-permute(a)", false, "collectives");
}

/* A call on each partition: the annotation may lie up to 15 others behind its operand. */
static void test_parts(void) {
  for (int others = 0; others < 20; others++) {
    char text[4096];
    priced p;
    int n = snprintf(
        text, sizeof text,
        "HloModule m, num_partitions=8\nf { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }\n"
        "ENTRY e { a = f32[16] parameter(0) x0 = f32[2] custom-call(a), "
        "custom_call_target=\"SPMDFullToShardShape\", sharding={manual} ");
    for (int k = 0; k < others; k++)
      n += snprintf(text + n, sizeof text - (size_t)n,
                    "x%d = f32[2] custom-call(x%d), custom_call_target=\"Sharding\" ", k + 1, k);
    (void)snprintf(text + n, sizeof text - (size_t)n, "ROOT r = f32[2] call(x%d), to_apply=f }",
                   others);
    price_text(&p, text);
    CHECK(mpg_hlo_parts(p.m, named(&p, "r")) == (others < 16 ? 8 : 1));
    done(&p);
  }
}

int main(void) {
  test_collectives();
  test_scope();
  test_parts();
  return check_done("hlo_collective");
}
