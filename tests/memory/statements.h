/*
** statements.h - statements that between them use every function and every table of the extension:
** what the sweeps over failing allocations run (sweep.h). tests/robust/test_memory.py asks SQLite
** which of them nobody uses.
*/
#ifndef MPG_STATEMENTS_H
#define MPG_STATEMENTS_H

#include "../../build/register.h"

/* What is in the database before. */
static const char *const setup =
    "CREATE TABLE capacity(pool, chip, chips, start_time, end_time);"
    "CREATE TABLE jobs(job, phase, chips, submit_time, labels);"
    "CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time, outcome);"
    "CREATE TABLE spans(job, kind, start_time, end_time, step, program);"
    "CREATE TABLE programs(program, flops);"
    "CREATE TABLE chips(chip, dtype, peak_flops);"
    "INSERT INTO capacity VALUES ('p', 'mine', 8, 0, 100), ('q', 'tpu-v4', 2.5, 0, 50);"
    "INSERT INTO jobs VALUES ('a', 'training', 4, 0, '{}'), ('b', 'serving', 1, 5, NULL);"
    "INSERT INTO allocations VALUES ('a', 1, 'p', 4, 10, 60, 'failed'), ('a', 2, 'q', 0.5, 60, 70, "
    "NULL),"
    " ('b', NULL, 'q', 1, 0, 40, 'completed'), ('c', NULL, 'r', 1, 0, 1, NULL);"
    "INSERT INTO spans VALUES ('a', 'step', 10, 30, 1, 's'), ('a', 'step', 30, NULL, 2, 's'), "
    "('b', 'serve', 3, 20, NULL, 's'),"
    " ('b', 'nap', 5, 6, NULL, NULL), ('d', 'step', 1, 2, 3, 'unheard of'),"
    " ('b', 'batch', 21, 22, 8, NULL), ('b', 'batch', 22, 23, 7, NULL),"
    " ('b', 'batch', 24, 25, 7, NULL);"
    "INSERT INTO programs VALUES ('s', 1e15);"
    "INSERT INTO chips VALUES ('mine', 'bf16', 1e14);";

#define SELECT_SOME(call) "SELECT * FROM " call " LIMIT 12",
static const char *const statements[] = {
    FORMAT_CALLS(SELECT_SOME) "SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1",
    "SELECT * FROM mpg_ledger WHERE bucket_width = 20 AND since = 5",
    "SELECT * FROM mpg_timeline('a')",
    "SELECT * FROM mpg_runs",
    "SELECT pool, job, goodput(category, chip_us), mpg_lower(category, chip_us) FROM mpg_rollup "
    "GROUP BY 1, 2",
    "SELECT goodput(state) FROM (SELECT goodput_state(category, chip_us) AS state FROM mpg_rollup "
    "GROUP BY pool)",
    "SELECT count(*) FROM mpg_ledger; SELECT kind, count, detail FROM mpg_issues ORDER BY kind",
    "SELECT category, sum(chip_us) FROM trace_rollup('fixtures/golden') GROUP BY 1",
    "SELECT category, job, start_time FROM trace_ledger('fixtures/golden.jsonl')",
    "SELECT pool, phase, mpg_lower(category, chip_us) FROM trace_ledger('fixtures/golden') "
    "WHERE threads = 1 AND pool = 'golden' AND start_time > 1 GROUP BY phase, pool, category",
    "SELECT DISTINCT job, cause FROM mpg_ledger ORDER BY job DESC",
    "SELECT j.phase, t.pool, t.category FROM jobs AS j RIGHT JOIN mpg_ledger AS t ON t.job = j.job",
    "SELECT DISTINCT t.pool FROM jobs AS j FULL JOIN mpg_ledger AS t ON t.pool > 'p' AND "
    "j.job = 'a' WHERE j.job IS NULL",
    "SELECT max(job), min(cause) FROM trace_ledger('fixtures/golden')",
    "SELECT * FROM trace_timeline('fixtures/golden/*.csv', 'J1')",
    "SELECT count(*) FROM trace_ledger('fixtures/golden/spans.csv') WHERE on_error = 'skip'",
    "SELECT chip, dtype, aliases FROM mpg_chips WHERE chip IN ('mine', 'tpu-v4')",
    "SELECT * FROM mpg_categories",
    "SELECT * FROM trace_records('fixtures/golden.jsonl')",
    "SELECT count(file), count(path) FROM trace_sources(NULL)",
#include "table_statements.h"
    "SELECT mpg_import('fixtures/golden')",
    "SELECT CASE WHEN count(*) < 0 THEN mpg_build(NULL) ELSE 0 END FROM jobs",
    "SELECT path FROM trace_files('fixtures/go*/') UNION SELECT pattern FROM "
    "trace_files('fixtures/golden')",
    "SELECT record, job, chip, start_time, labels FROM mpg_records",
    "SELECT * FROM goodput_trace('fixtures/goodput/ranker-8.json')",
    "SELECT job_name, kind, step, _line FROM goodput_trace('fixtures/goodput/ranker-7.jsonl')",
    "SELECT kind, edge, max(step), min(_file) FROM goodput_trace('fixtures/goodput') GROUP BY 1, 2",
    "SELECT * FROM goodput_report('fixtures/goodput')",
    "SELECT roofline_seconds(1e15, 'mine'), roofline_bound(1, 1e9, 'TPU v4'), "
    "chip_bandwidth('NVIDIA H200')",
    "SELECT interval_union(start_time, end_time), peak_concurrency(start_time, end_time) FROM "
    "allocations",
    "SELECT * FROM interval_buckets(0, 100, 30)",
    "SELECT JobID, State, step, _line FROM slurm_trace('fixtures/slurm/sacct_default.p')",
    "SELECT JobID, nodes, req_gpu_types FROM slurm_trace('fixtures/slurm/scontrol_jobs.txt')",
    "SELECT *, _line FROM slurm_reservations_trace('fixtures/slurm/scontrol_reservations.txt')",
    "SELECT Event, NodeName, TimeStart, TRES FROM "
    "slurm_events_trace('fixtures/slurm/sacctmgr_events.psv', '+01:00')",
    "SELECT JobID, State, step, nodes, alloc_gpu_types FROM "
    "slurm_trace('fixtures/slurm/sacct.json') "
    "LIMIT 2",
    "SELECT NodeName, State, gpu_types FROM slurm_nodes_trace('fixtures/slurm/scontrol_nodes.txt')",
    "SELECT name, claims FROM kube_trace('fixtures/kube/claims.json') WHERE claims IS NOT NULL",
    "SELECT record, _line FROM csv_trace('fixtures/golden/jobs.csv') WHERE nulls = '-' AND zone = "
    "'UTC'",
    "SELECT record FROM jsonl_trace('fixtures/golden.jsonl', 'job, pool $.pool TEXT', 'job TEXT') "
    "LIMIT 3",
    "CREATE VIRTUAL TABLE temp.a USING csv_trace('fixtures/golden/allocations.csv', nulls='x,-', "
    "types='end_time TIME', on_error=skip); SELECT *, _file FROM a WHERE job = 'J1'",
    "SELECT json_first(_record, '[\"task\", \"job\"]') FROM jsonl_trace('fixtures/golden.jsonl')",
    "CREATE VIRTUAL TABLE temp.g USING jsonl_trace('fixtures/golden.jsonl', threads=1); SELECT * "
    "FROM g LIMIT 2",
    "CREATE VIRTUAL TABLE temp.b USING csv_trace('fixtures/generic/jobs-*.csv', delimiter=';', "
    "nulls='n/a', threads=1); SELECT DISTINCT pool, gpus FROM b WHERE job IN ('a-001', 'b-001', "
    "'b-002', NULL) AND _file GLOB '*.csv' AND gpus IS NOT 3 AND state <> 'x'",
    "SELECT text, step, fields, log_group(_record, 'loss') FROM "
    "log_trace('fixtures/training/nanogpt.log', "
    "'step:(?<step>[0-9]+)/.*loss:(?<loss>[0-9.]+)') LIMIT 3",
    "SELECT name, start_ns, end_ns, thread_name, rank, input_dims, flops, args FROM "
    "chrome_trace('fixtures/profile/*') WHERE ph <> 's' AND _line % 7 = 0 AND threads = 1",
    "SELECT cat, name, count(*), sum(dur), group_concat(id), max(_line), min(_file) FROM "
    "chrome_trace('fixtures/profile/rank*.json') WHERE ph = 'X' AND threads = 1 GROUP BY cat, name",
    "SELECT * FROM chrome_trace_info('fixtures/profile/rank1.json') WHERE threads = 1",
    "SELECT name, dur, process_name FROM chrome_trace('fixtures/profile/tpu.trace.json') "
    "WHERE ph = 'X' AND threads = 2",
    "SELECT * FROM xplane_planes('fixtures/xplane')",
    "SELECT * FROM perfetto_trace('fixtures/perfetto')",
    "SELECT * FROM tfevents_trace('tests/memory/cut/events.out.tfevents.1'); SELECT kind, line "
    "FROM mpg_issues",
    "SELECT job_size(chips), job_size(16, '8,16,32'), time_bucket(start_time, 'day +02:00'), "
    "iso_week(end_time), bar(chips, 4, 30) FROM allocations",
    "SELECT spark(chips), spark(chips, 'ascii') FROM allocations",
    "SELECT spark(chips, 0, 9) OVER (ORDER BY start_time ROWS 1 PRECEDING) FROM allocations",
    "SELECT * FROM hlo_cost('fixtures/hlo/decode.hlo')",
    "SELECT transformer_flops('{\"mode\":\"training\",\"parameters\":7e9,\"tokens\":10}'), "
    "chip_interconnect('TPU v4'), chip_name('tpu V4')",
    "SELECT op_flops(name, input_dims), op_bytes(name, input_dims, input_type, concrete_inputs) "
    "FROM "
    "chrome_trace('fixtures/profile/rank0.json') WHERE input_dims <> '' AND threads = 1 LIMIT 5",
    "SELECT record FROM csv_rollup('fixtures/golden/allocations.csv', 'chips, chips*(2-1) as x', "
    "'job,pool') WHERE threads = 1",
    "CREATE VIRTUAL TABLE temp.r USING jsonl_rollup('fixtures/golden.jsonl', measures='chips', "
    "threads=1); SELECT pool, sum(chips), sum(rows) FROM r WHERE record = 'allocation' GROUP BY 1 "
    "ORDER BY 1 DESC",
    "SELECT mpg_time('2026-07-03 10:00', 'Europe/Berlin'), mpg_time('2026-07-03', pool) FROM "
    "(SELECT 'UTC' AS pool UNION ALL SELECT '+02:00')",
    "SELECT mpg_version(), mpg_uuid('dns', 'example.org'), mpg_required(1, 'a'), mpg_debug()",
    "SELECT json_first('{\"b\":\"\\u0041\",\"\\u0061\":[1,{}]}', 'c', 'a'), "
    "json_first('{\"b\":\"\\u0041\"}', 'a', 'b'), json_first('{\"b\":1}', '[\"a\",\"\\u0062\"]')",
    "SELECT pool, mpg_median(chips) FROM allocations GROUP BY pool",
    "SELECT name, value, mpg_limit(name, most) FROM mpg_limits",
    "SELECT name, kind, item, type, unit, meaning FROM mpg_help",
    "SELECT scheduling_goodput(category, chip_us), runtime_goodput(category, chip_us), "
    "program_goodput(category, chip_us), mpg(category, chip_us), runtime_coverage(category, "
    "chip_us), program_coverage(category, chip_us), occupancy(category, chip_us), mfu(category, "
    "chip_us), ettr(category, chip_us) FROM mpg_rollup GROUP BY pool",
    "SELECT hex(goodput_merge(state) OVER (ORDER BY pool ROWS 1 PRECEDING)) FROM "
    "(SELECT pool, goodput_state(category, chip_us) AS state FROM mpg_rollup GROUP BY pool)",
    "SELECT roofline_ideal(9e14, 1e12, 'TPU v4', 'bf16'), chip_peak_flops('mine'), "
    "chip_peak_flops('NVIDIA H200', "
    "'fp8')",
    "SELECT interval_overlap(start_time, end_time, chips > 1), all_up(start_time, end_time, 2) "
    "FROM allocations",
    "SELECT mpg_progress(), mpg_progress('off')",
    "SELECT mpg_keep(1000000), sum(chip_us) FROM trace_rollup('fixtures/golden') WHERE threads = 1",
    /* Twice, the second time from memory if the first was cached. */
    "SELECT replica, decode_tokens FROM trace_serve_tokens('fixtures/serving/vllm.prom'); SELECT "
    "a.start_time, b.decode_tokens FROM trace_serve_tokens('fixtures/serving/vllm.prom') AS a JOIN "
    "trace_serve_tokens('fixtures/serving/vllm.prom') AS b ON b.rowid = a.rowid",
    /* Of files that are mapped: what the first keeps is the second's. */
    "SELECT category, sum(chip_us) FROM trace_rollup('fixtures/swf/small.swf') GROUP BY 1; SELECT "
    "job, start_time FROM trace_ledger('fixtures/swf/small.swf'); SELECT kind, line FROM "
    "mpg_issues ORDER BY 1, 2",
    "SELECT category, sum(chip_us) FROM trace_rollup('tests/memory/golden.jsonl.gz') GROUP BY 1",
    "SELECT record, _line FROM jsonl_trace('tests/memory/*.zst')",
    /* Files that end within a record, as those that are being written do: what is said of it,
    ** too. */
    "SELECT record, job FROM trace_records('tests/memory/cut/*.csv'); SELECT kind, line FROM "
    "mpg_issues ORDER BY source",
    "SELECT sum(chip_us) FROM trace_rollup('tests/memory/cut/records.jsonl') WHERE threads = 1; "
    "SELECT kind, line FROM mpg_issues ORDER BY kind",
    "SELECT kind, step FROM goodput_trace('tests/memory/cut/goodput.jsonl'); SELECT kind, line "
    "FROM mpg_issues",
    "SELECT JobID, State FROM slurm_trace('tests/memory/cut/sacct*.psv'); SELECT kind, line FROM "
    "mpg_issues ORDER BY kind",
    "SELECT NodeName FROM slurm_nodes_trace('tests/memory/cut/nodes.txt'); SELECT kind, line FROM "
    "mpg_issues",
    "SELECT record, _line FROM csv_trace('tests/memory/cut/spans.csv'); SELECT record FROM "
    "csv_trace('tests/memory/cut/jobs.csv'); SELECT kind, line FROM mpg_issues",
    "SELECT record FROM jsonl_trace('tests/memory/cut/records.jsonl'); SELECT kind, line FROM "
    "mpg_issues",
    "SELECT name FROM hlo_trace('tests/memory/cut/step.hlo'); SELECT kind, line FROM mpg_issues",
    "SELECT * FROM pbs_trace('tests/memory/cut/accounting.log', 'UTC'); SELECT kind, line FROM "
    "mpg_issues",
    "SELECT * FROM lsf_trace('tests/memory/cut/lsb.acct'); SELECT kind, line FROM mpg_issues",
    "SELECT * FROM swf_trace('tests/memory/cut/jobs.swf'); SELECT kind, line FROM mpg_issues",
    "SELECT value FROM prometheus_trace('tests/memory/cut/metrics.prom'); SELECT kind, line FROM "
    "mpg_issues",
    /* Long enough for qsort to ask libc for memory. */
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 150) INSERT INTO "
    "spans SELECT 'a', 'step', 10 + i * 7 % 40, 11 + i * 7 % 40, i, 's' FROM n; "
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 90) INSERT INTO "
    "allocations SELECT 'j' || i % 7, 1 + i % 3, 'p', 1, i * 11 % 17, 20 + i * 5 % 23, NULL FROM "
    "n; SELECT job, category, cause, bucket, chip_us FROM mpg_ledger WHERE bucket_width = 7",
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

#endif
