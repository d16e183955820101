/* Objects of Kubernetes over text in memory: quantities, chips, outcomes, and hostile texts. */
#include "../../ext/formats/kube/kube.h"
#include "../../ext/formats/kube/kube_chips.h"
#include "check.h"

#include <string.h>

static const mpg_env *const env = &mpg_env_libc;

typedef struct reading {
  mpg_stream *stream;
  mpg_issues issues;
  mpg_kube *kube;
  mpg_err err;
} reading;

static void begin(reading *r, const char *text) {
  memset(r, 0, sizeof *r);
  mpg_issues_init(&r->issues, env);
  CHECK(mpg_stream_memory(&r->stream, env, "k", mpg_str_of(text), &r->err) == MPG_OK);
  CHECK(mpg_kube_open(&r->kube, env, r->stream, &r->issues, &r->err) == MPG_OK);
}

static mpg_rc next(reading *r) {
  return mpg_kube_next(r->kube, &r->err);
}

static void end(reading *r) {
  mpg_kube_close(r->kube);
  mpg_stream_close(r->stream);
  mpg_issues_free(&r->issues);
}

static bool text(const reading *r, size_t field, const char *wanted) {
  const mpg_value *v = mpg_kube_get(r->kube, field);
  return wanted == NULL ? v->type == MPG_NULL
                        : v->type == MPG_TEXT && mpg_str_eq(v->s, mpg_str_of(wanted));
}

static bool issue(const reading *r, const char *kind) {
  for (size_t i = 0; i < r->issues.n; i++)
    if (strcmp(r->issues.items[i].kind, kind) == 0)
      return true;
  return false;
}

static void test_quantities(void) {
  static const struct {
    const char *text;
    int64_t millionths;
  } good[] = {{"8", 8000000},      {"0", 0},         {"500m", 500000},   {"1k", 1000000000},
              {"1e3", 1000000000}, {"2.5", 2500000}, {"1Ki", 1024000000}};
  static const char *const bad[] = {"",   "m",    "Ki",           "8 ", "x",
                                    "1E", "9e18", "9223372036Ti", "-",  "8x"};
  int64_t q;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    CHECK(mpg_kube_quantity(mpg_str_of(good[i].text), &q) && q == good[i].millionths);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(!mpg_kube_quantity(mpg_str_of(bad[i]), &q));
}

static void test_resources(void) {
  static const struct {
    const char *name;
    mpg_kube_unit unit;
    int64_t millionths;
  } cases[] = {
      {"nvidia.com/gpu", MPG_KUBE_CHIP, 1000000},
      {"google.com/tpu", MPG_KUBE_CHIP, 1000000},
      {"amd.com/gpu", MPG_KUBE_CHIP, 1000000},
      {"nvidia.com/mig-1g.5gb", MPG_KUBE_CHIP, 142857},
      {"nvidia.com/mig-2g.10gb", MPG_KUBE_CHIP, 285714},
      {"nvidia.com/mig-1g.10gb.me", MPG_KUBE_CHIP, 142857},
      {"nvidia.com/mig-7g.80gb", MPG_KUBE_CHIP, 1000000},
      {"nvidia.com/mig-1g.6gb", MPG_KUBE_CHIP, 250000},
      {"nvidia.com/mig-2g.12gb", MPG_KUBE_CHIP, 500000},
      {"nvidia.com/mig-4g.24gb", MPG_KUBE_CHIP, 1000000},
      {"nvidia.com/mig-2g.48gb", MPG_KUBE_CHIP, 500000},
      {"nvidia.com/mig-2g.24gb", MPG_KUBE_CHIP, 285714},
      {"nvidia.com/mig-3g.48gb", MPG_KUBE_CHIP, 428571},
      {"nvidia.com/mig-1g.24gb", MPG_KUBE_GUESS, 142857},
      {"nvidia.com/mig-8g.24gb", MPG_KUBE_NOT_A_CHIP, 0},
      {"nvidia.com/mig-", MPG_KUBE_NOT_A_CHIP, 0},
      {"nvidia.com/mig-1g", MPG_KUBE_NOT_A_CHIP, 0},
      {"aws.amazon.com/neuroncore", MPG_KUBE_NOT_A_CHIP, 0},
      {"cpu", MPG_KUBE_NO_CHIP, 0},
      {"", MPG_KUBE_NO_CHIP, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t unit = 0;
    CHECK(mpg_kube_resource(mpg_str_of(cases[i].name), &unit) == cases[i].unit);
    CHECK(unit == cases[i].millionths || cases[i].unit == MPG_KUBE_NOT_A_CHIP);
  }
}

/* Texts written with escapes, which the object has to keep for itself; texts that are not what
** they should be. */
static void test_hostile(void) {
  static const char *const odd[] = {
      "{\"kind\":\"Pod\",\"metadata\":{\"name\":5,\"labels\":[],\"ownerReferences\":{\"a\":1}},"
      "\"spec\":[],\"status\":7}",
      "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\"},\"spec\":{\"containers\":[1,null,{"
      "\"resources\":[]}]}}",
      "{\"kind\":\"Job\",\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":-1,\"template\":[]"
      "}}",
      "{\"kind\":\"Workload\",\"metadata\":{\"name\":\"w\"},\"spec\":{\"podSets\":[{},[],3]},"
      "\"status\":{\"conditions\":{}}}",
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"X\",\"metadata\":{\"name\":\"x\"}}}",
      "{\"items\":[],\"kind\":\"PodList\"}",
  };
  reading r;
  begin(&r, "{\"kind\":\"Workload\",\"metadata\":{\"name\":\"w\",\"namespace\":\"n\\u002fs\","
            "\"ownerReferences\":["
            "{\"kind\":\"A\\u0042\",\"name\":\"a\\u0062\",\"controller\":true},{\"kind\":"
            "\"\\u0043\",\"name\":\"\\u0063\"}]},"
            "\"status\":{\"conditions\":[{\"type\":\"Evicted\",\"status\":\"True\",\"reason\":"
            "\"Pre\\u0065mpted\"},"
            "{\"type\":\"Admitted\",\"status\":\"\\u0054rue\",\"reason\":\"longer text that "
            "\\u0074akes the memory again\"}]}}");
  CHECK(next(&r) == MPG_OK);
  CHECK(text(&r, MPG_KUBE_owner_kind, "AB") && text(&r, MPG_KUBE_owner_name, "ab"));
  CHECK(text(&r, MPG_KUBE_job, "n/s/ab") && text(&r, MPG_KUBE_evicted_reason, "Preempted"));
  CHECK(next(&r) == MPG_DONE);
  end(&r);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    mpg_rc rc;
    begin(&r, odd[i]);
    rc = next(&r);
    CHECK(rc == (i == 5 ? MPG_DONE : MPG_OK));
    CHECK(i != 4 || text(&r, MPG_KUBE_event, "ADDED"));
    CHECK(rc == MPG_DONE || next(&r) == MPG_DONE);
    end(&r);
  }
}

static void refused(const char *json, const char *why) {
  reading r;
  begin(&r, json);
  CHECK(next(&r) == MPG_DATA);
  CHECK(strcmp(r.err.text, why) == 0);
  if (strcmp(r.err.text, why) != 0)
    (void)fprintf(stderr, "  found %s\n", r.err.text);
  CHECK(next(&r) == MPG_DONE);
  end(&r);
}

#define POD(resources)                                                                             \
  "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"resources\":{"     \
  "\"limits\":{" resources "}}}]}}"

static void test_errors(void) {
  refused("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"name\":\"q\"}}",
          "k:1:1: expected each key once in \"metadata\", found one again");
  refused("{\"kind\":\"Pod\",\"metadata\":{\"creationTimestamp\":\"yesterday\"}}",
          "k:1:1: expected a time such as 2026-03-01T08:00:00Z for \"creationTimestamp\", found "
          "\"yesterday\"");
  refused(POD("\"nvidia.com/gpu\":\"many\""),
          "k:1:1: expected a number of chips for \"quantity\", found \"many\"");
  refused(POD("\"nvidia.com/gpu\":\"1e12\""),
          "k:1:1: expected a number of chips for \"quantity\", found \"1e12\"");
  refused("{\"kind\":\"Job\",\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":9000000,"
          "\"template\":{\"spec\":{\"containers\":"
          "[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":9000}}}]}}}}",
          "k:1:1: expected a number of chips, found too many");
  refused("7", "k:1:1: expected an object of Kubernetes, found another value");
  refused("{\"a\":1}", "k:1:1: expected an object of Kubernetes with \"kind\" and \"metadata\", "
                       "found one with \"a\"");
  refused("{\"kind\":\"List\",\"items\":[7]}",
          "k:1:25: expected an object of Kubernetes, found another value");
}

static void test_issues(void) {
  reading r;
  begin(&r, POD("\"nvidia.com/gpucores\":\"30\",\"nvidia.com/mig-1g.24gb\":1") "\n" POD(
                "\"cpu\":1") "\n{\"kind");
  CHECK(next(&r) == MPG_OK && mpg_kube_get(r.kube, MPG_KUBE_chips)->r == 0.142857);
  CHECK(next(&r) == MPG_OK && mpg_kube_get(r.kube, MPG_KUBE_chips)->type == MPG_NULL);
  CHECK(mpg_kube_line(r.kube) == 2 && next(&r) == MPG_DONE);
  CHECK(issue(&r, "uncounted_resource") && issue(&r, "guessed_share") &&
        issue(&r, "unfinished_record"));
  end(&r);
}

/* An Event by the names of v1 and of events.k8s.io/v1; a series outranks the times of its first. */
static void test_events(void) {
  reading r;
  begin(
      &r,
      "{\"kind\":\"Event\",\"metadata\":{\"name\":\"e\",\"namespace\":\"ns\"},\"involvedObject\":"
      "{\"kind\":\"Pod\"},\"reason\":\"Killing\",\"message\":\"m\",\"type\":\"Normal\",\"count\":4,"
      "\"firstTimestamp\":\"1970-01-01T00:00:10Z\",\"lastTimestamp\":\"1970-01-01T00:01:00Z\"}\n"
      "{\"kind\":\"Event\",\"metadata\":{\"name\":\"f\"},\"regarding\":{\"kind\":\"Node\"},"
      "\"note\":"
      "\"n\",\"eventTime\":\"1970-01-01T00:00:05.5Z\",\"deprecatedCount\":1,\"series\":{\"count\":"
      "3,"
      "\"lastObservedTime\":\"1970-01-01T00:00:09.9Z\"}}\n"
      "{\"kind\":\"Event\",\"metadata\":{\"name\":\"g\"},\"lastTimestamp\":\"soon\"}");
  CHECK(next(&r) == MPG_OK && text(&r, MPG_KUBE_job, NULL) && text(&r, MPG_KUBE_reason, "Killing"));
  CHECK(text(&r, MPG_KUBE_involvedObject, "{\"kind\":\"Pod\"}") && text(&r, MPG_KUBE_message, "m"));
  CHECK(mpg_kube_get(r.kube, MPG_KUBE_firstTimestamp)->i == 10 &&
        mpg_kube_get(r.kube, MPG_KUBE_lastTimestamp)->i == 60 &&
        mpg_kube_get(r.kube, MPG_KUBE_count)->i == 4);
  CHECK(next(&r) == MPG_OK && text(&r, MPG_KUBE_involvedObject, "{\"kind\":\"Node\"}") &&
        text(&r, MPG_KUBE_message, "n"));
  CHECK(mpg_kube_get(r.kube, MPG_KUBE_firstTimestamp)->i == 5 &&
        mpg_kube_get(r.kube, MPG_KUBE_lastTimestamp)->i == 9 &&
        mpg_kube_get(r.kube, MPG_KUBE_count)->i == 3);
  CHECK(next(&r) == MPG_DATA && strstr(r.err.text, "\"lastTimestamp\", found \"soon\"") != NULL);
  end(&r);
}

int main(void) {
  test_quantities();
  test_events();
  test_resources();
  test_hostile();
  test_errors();
  test_issues();
  return check_done("kube");
}
