-- accounting.sql - goodput of a native trace in DuckDB's SQL, for tests/bench/accounting: what trace_rollup answers by pool, phase and category.
--
-- Reads the tables or views in_capacity, in_outages, in_jobs, in_allocations, in_spans, in_commits, in_programs and in_peaks, and makes the TEMP
-- table ledger(pool, phase, category, us). Times are whole microseconds; chips and chip-microseconds are doubles, whole in the generator's fleets.
-- Each span is read once; only attempts whose steps go back are sorted. Left out, as the generator has none of them: issues, three spans within
-- each other, chips that change within a pool, buckets, tasks that are named twice, steps without numbers.
CREATE TEMP MACRO us(t) AS epoch_us(t::TIMESTAMPTZ);

-- 1. small relations
CREATE TEMP TABLE cap AS SELECT pool, chip, chips, us(start_time) s, us(end_time) e
  FROM in_capacity;
CREATE TEMP TABLE outage AS SELECT pool, chips, us(start_time) s, us(end_time) e, coalesce(kind,'down') kind
  FROM in_outages;
CREATE TEMP TABLE jobs AS SELECT (row_number() OVER ())::INTEGER j, job, phase, chips, min_chips, tasks, us(submit_time) submit
  FROM (SELECT DISTINCT job, phase, chips, min_chips, tasks, submit_time FROM in_jobs);
CREATE TEMP TABLE alloc0 AS SELECT j, attempt, task, pool, a.chips, us(start_time) s, us(end_time) e, outcome
  FROM in_allocations a JOIN jobs USING (job);
CREATE TEMP TABLE commits0 AS SELECT j, step, round(coalesce(snapshot_time, durable_time)*1e6)::BIGINT snap, round(durable_time*1e6)::BIGINT durable
  FROM in_commits JOIN jobs USING (job);
CREATE TEMP TABLE peak AS SELECT chip, dtype, peak_flops FROM in_peaks;
CREATE TEMP TABLE programs AS SELECT program, flops, dtype, (row_number() OVER ())::INTEGER pid
  FROM in_programs;

-- 2. attempts: number those without one by gaps; what is open lasts for ever, until the end of the trace is known
CREATE TEMP TABLE alloc1 AS
WITH a AS (SELECT *, coalesce(e, 9000000000000000) e1 FROM alloc0),
g AS (SELECT *, s > coalesce(max(e1) OVER (PARTITION BY j ORDER BY s, e1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1) AS fresh FROM a WHERE attempt IS NULL)
SELECT j, attempt, false AS by_time, task, pool, chips, s, e1 e, outcome FROM a WHERE attempt IS NOT NULL
UNION ALL
SELECT j, (sum(fresh::INT) OVER (PARTITION BY j ORDER BY s, e1 ROWS UNBOUNDED PRECEDING))::INTEGER, true, task, pool, chips, s, e1, outcome FROM g;
CREATE TEMP TABLE att0 AS SELECT *, (row_number() OVER (ORDER BY j, s, attempt))::INTEGER t
  FROM (SELECT j, attempt, by_time, min(s) s, max(e) e FROM alloc1 GROUP BY ALL);
-- a span finds its attempt by job and number, or, where it names none, by its start
CREATE TEMP TABLE key_of AS SELECT job, attempt AS k, t, j, 0::BIGINT s, 9000000000000000 e FROM att0 JOIN jobs USING (j)
  UNION ALL SELECT job, -1, t, j, s, e FROM att0 JOIN jobs USING (j);

-- 3. the spans, narrow, one pass over the file
CREATE TEMP TABLE spans0 AS
SELECT a.t, a.j, CASE x.kind WHEN 'step' THEN 1 WHEN 'batch' THEN 2 WHEN 'serve' THEN 3 ELSE 0 END::TINYINT prog,
  CASE WHEN kind IN ('init','prep') THEN 'startup' WHEN kind IN ('compile','restore','input','checkpoint','eval') THEN kind
       WHEN kind IN ('step','batch','serve') THEN NULL ELSE 'stall' END::ENUM('startup','compile','restore','input','checkpoint','eval','stall') leaf,
  round(x.start_time*1e6)::BIGINT s, round(x.end_time*1e6)::BIGINT e, x.step,
  coalesce(x.flops, p.flops * coalesce(x.executions, 1))::DOUBLE f, coalesce(x.dtype, p.dtype)::ENUM('bf16','fp16','fp32','tf32','fp8','int8','int4','fp64','fp4','fp6','int16') dtype
FROM in_spans x
JOIN key_of a ON a.job = x.job AND a.k = coalesce(x.attempt, -1) AND a.s <= round(x.start_time*1e6) AND a.e > round(x.start_time*1e6)
LEFT JOIN programs p USING (program);
SET VARIABLE as_of = (SELECT greatest(
  (SELECT greatest(max(s), max(e)) FROM spans0), (SELECT greatest(max(s), max(e)) FROM alloc0), (SELECT greatest(max(snap), max(durable)) FROM commits0),
  (SELECT greatest(max(s), max(e)) FROM cap), (SELECT greatest(max(s), max(e)) FROM outage), (SELECT max(submit) FROM jobs)));
CREATE TEMP TABLE alloc AS SELECT j, attempt, task, pool, chips, s, least(e, getvariable('as_of')) e, outcome, e > getvariable('as_of') cut FROM alloc1 WHERE s < getvariable('as_of');
CREATE TEMP TABLE att AS
SELECT j, attempt, t, a.s, x.e, running, named, outcome, row_number() OVER (PARTITION BY j ORDER BY t DESC) = 1 AS last_of_job
FROM att0 a JOIN (SELECT j, attempt, max(e) e, bool_or(cut) running, bool_and(task IS NOT NULL) named,
  CASE WHEN bool_or(cut) THEN NULL ELSE arg_max(outcome, (e, -CASE outcome WHEN 'node_fail' THEN 0 WHEN 'preempted' THEN 1 WHEN 'timeout' THEN 2
       WHEN 'failed' THEN 3 WHEN 'cancelled' THEN 4 WHEN 'completed' THEN 5 ELSE 6 END)) END outcome
  FROM alloc GROUP BY j, attempt) x USING (j, attempt);

-- 4. gangs: what an attempt holds between changes, by pool, whether complete, surplus from the last pool by name
CREATE TEMP TABLE chip_of AS SELECT pool, min(chip) chip FROM cap GROUP BY pool;
CREATE TEMP TABLE seg AS
WITH ev AS (SELECT t, a.pool, a.s AS tm, a.chips d, 1 n FROM alloc a JOIN att USING (j, attempt)
            UNION ALL SELECT t, a.pool, a.e, -a.chips, -1 FROM alloc a JOIN att USING (j, attempt)),
pools AS (SELECT DISTINCT t, pool FROM ev), times AS (SELECT DISTINCT t, tm FROM ev),
grid AS (SELECT t, pool, tm, sum(coalesce(d,0)) d, sum(coalesce(n,0)) n FROM times JOIN pools USING (t) LEFT JOIN ev USING (t, pool, tm) GROUP BY ALL),
h AS (SELECT t, pool, tm s, lead(tm) OVER w e, sum(d) OVER (w ROWS UNBOUNDED PRECEDING) held, sum(n) OVER (w ROWS UNBOUNDED PRECEDING) n
      FROM grid WINDOW w AS (PARTITION BY t, pool ORDER BY tm)),
tot AS (SELECT *, sum(held) OVER (PARTITION BY t, s) total, sum(n) OVER (PARTITION BY t, s) holding,
        sum(held) OVER (PARTITION BY t, s ORDER BY pool DESC ROWS UNBOUNDED PRECEDING) - held AS later_pools FROM h WHERE e IS NOT NULL)
SELECT t, tot.pool, c.chip, tot.s, tot.e, held, total,
  CASE WHEN j.min_chips IS NOT NULL THEN total >= j.min_chips
       WHEN j.chips IS NOT NULL THEN total >= j.chips - 1e-6 AND (j.tasks IS NULL OR NOT a.named OR holding >= j.tasks)
       WHEN j.tasks IS NOT NULL THEN NOT a.named OR holding >= j.tasks ELSE true END AS complete,
  CASE WHEN j.min_chips IS NULL AND j.chips IS NOT NULL THEN least(held, greatest(total - j.chips - later_pools, 0)) ELSE 0 END AS surplus
FROM tot JOIN att a USING (t) JOIN jobs j USING (j) LEFT JOIN chip_of c ON c.pool = tot.pool WHERE held > 0;
CREATE TEMP TABLE whole AS SELECT t, pool, chip, s, e, held - surplus need, sum(held - surplus) OVER (PARTITION BY t, s) need_all FROM seg WHERE complete;

-- 5. an open span lasts to the end of its attempt; what as_of cuts
CREATE TEMP VIEW sp AS
SELECT t, j, prog, leaf, s, least(coalesce(e, getvariable('as_of')), getvariable('as_of')) e, coalesce(e, getvariable('as_of')) - s AS len, step, f, dtype FROM spans0;

-- 6. which steps survive
CREATE TEMP TABLE commits AS SELECT j, step, snap, durable IS NOT NULL AND durable <= getvariable('as_of') AS safe FROM commits0 WHERE snap IS NULL OR snap <= getvariable('as_of');
CREATE TEMP TABLE ending AS SELECT j, coalesce(outcome = 'completed', false) AS completed, running,
  EXISTS (FROM commits c WHERE c.j = a.j) AS commits FROM att a WHERE last_of_job;
-- Numbers that rise by one through an attempt (nearly all) are told by the least number of later attempts; only the others are sorted.
CREATE TEMP TABLE runs AS SELECT j, t, count(*) n, min(step) lo, max(step) hi, count(*) = max(step) - min(step) + 1 AND sum(step) * 2 = count(*) * (min(step) + max(step))
    AND arg_max(step, s) = max(step) AND arg_min(step, s) = min(step) AS rising FROM sp WHERE prog = 1 GROUP BY j, t;
CREATE TEMP TABLE back AS SELECT t, s, e, step, row_number() OVER w n, lag(step) OVER w >= step AS resumed,
  min(step) OVER (w ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS lowest
  FROM sp JOIN (SELECT t FROM runs WHERE NOT rising) USING (t) WHERE prog = 1 WINDOW w AS (PARTITION BY t ORDER BY s, e DESC);
CREATE TEMP TABLE rule AS
SELECT r.j, t, rising, min(lo) OVER (PARTITION BY r.j ORDER BY t ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) lost_from,
  t = max(t) OVER (PARTITION BY r.j) AS last, g.completed, g.running, g.commits,
  (SELECT max(b.s) FROM back b WHERE b.t = r.t AND b.resumed) AS resumed_at
FROM runs r JOIN ending g USING (j);
-- commits protect a prefix of what is left: their steps up to their own number that began before their snapshot
CREATE TEMP TABLE safe AS
WITH x AS (SELECT sp.j, sp.s, sp.step FROM sp JOIN rule r USING (t) WHERE prog = 1 AND last AND NOT completed AND sp.s >= coalesce(resumed_at, 0))
SELECT c.j, max(least(c.step, x.step)) upto FROM (SELECT * FROM commits WHERE safe AND j IN (SELECT j FROM ending WHERE NOT completed)) c ASOF JOIN x ON x.j = c.j AND x.s < c.snap GROUP BY c.j;
CREATE TEMP TABLE fated AS
SELECT 1::TINYINT prog, x.t, x.j, x.s, x.e, len, f, dtype,
  CASE WHEN x.step >= r.lost_from OR b.lowest <= x.step THEN 'lost' WHEN NOT r.last OR x.s < r.resumed_at OR r.completed OR x.step <= safe.upto THEN NULL
       WHEN NOT r.commits THEN 'unknown' WHEN r.running THEN 'pending' ELSE 'lost' END fate
FROM sp x JOIN rule r ON r.t = x.t LEFT JOIN safe ON safe.j = x.j LEFT JOIN back b ON b.t = x.t AND b.s = x.s AND b.e = x.e AND b.step = x.step WHERE prog = 1
UNION ALL
SELECT 2, t, b.j, s, e, len, f, dtype,
  CASE WHEN again THEN 'lost' WHEN b.step < m.later THEN NULL WHEN g.completed THEN NULL
       WHEN b.s < same.snap OR b.e <= above.snap THEN NULL
       WHEN NOT g.commits THEN 'unknown' WHEN g.running THEN 'pending' ELSE 'lost' END
FROM (SELECT *, row_number() OVER (PARTITION BY j, step ORDER BY t DESC, s DESC) > 1 AS again FROM sp WHERE prog = 2) b
LEFT JOIN (SELECT t, max(m) OVER (PARTITION BY j ORDER BY t ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) later
           FROM (SELECT j, t, max(step) m FROM sp WHERE prog = 2 GROUP BY j, t)) m USING (t)
LEFT JOIN (SELECT j, step, max(snap) snap FROM commits WHERE safe GROUP BY j, step) same ON same.j = b.j AND same.step = b.step
ASOF LEFT JOIN (SELECT j, step, max(snap) OVER (PARTITION BY j ORDER BY step DESC ROWS UNBOUNDED PRECEDING) snap FROM commits WHERE safe) above ON above.j = b.j AND b.step < above.step
JOIN ending g ON g.j = b.j
UNION ALL SELECT 3, t, j, s, e, len, f, dtype, NULL FROM sp WHERE prog = 3;

-- 7. what is carved out of progress: the parent of each other span
CREATE TEMP TABLE carved AS
SELECT l.t, l.s, least(l.e, p.e) e, coalesce(p.fate, CASE WHEN p.f IS NULL THEN 'unrated' ELSE 'good' END) cat
FROM (SELECT t, s, e FROM sp WHERE prog = 0) l ASOF JOIN fated p ON p.t = l.t AND p.s <= l.s WHERE p.e > l.s
UNION ALL   -- and of evaluation, which reads input
SELECT l.t, l.s, least(l.e, p.e), 'eval'
FROM (SELECT t, s, e FROM sp WHERE leaf <> 'eval') l ASOF JOIN (SELECT t, s, e FROM sp WHERE leaf = 'eval') p ON p.t = l.t AND p.s <= l.s WHERE p.e > l.s;

-- 8. chip-time by attempt, pool and category
CREATE TEMP TABLE t_cat AS
WITH pieces AS (
  SELECT t, s, e, leaf AS cat, NULL::DOUBLE f, NULL dtype, NULL::BIGINT len, 1 sign FROM sp WHERE prog = 0
  UNION ALL SELECT t, s, e, coalesce(fate, CASE WHEN f IS NULL THEN 'unrated' ELSE 'good' END), CASE WHEN fate IS NULL THEN f END, dtype, len, 1 FROM fated
  UNION ALL SELECT t, s, e, cat, NULL, NULL, NULL, -1 FROM carved),
cut AS (SELECT p.t, w.pool, w.chip, cat, dtype, sign * (least(p.e, w.e) - greatest(p.s, w.s)) * need AS us,
          f * (need / need_all) * ((least(p.e, w.e) - greatest(p.s, w.s)) / len) AS flops
        FROM pieces p JOIN whole w ON w.t = p.t AND p.s < w.e AND p.e > w.s),
by_dtype AS (SELECT t, pool, chip, cat, dtype, sum(us) us, sum(flops) flops FROM cut GROUP BY ALL)
SELECT t, pool, cat, sum(us) us, sum(flops * 1e6 / coalesce(p.peak_flops, q.peak_flops, h.peak_flops)) ideal,
       sum(us) FILTER (cat = 'good' AND flops IS NULL) AS carved_us
FROM by_dtype c LEFT JOIN peak p ON p.chip = c.chip AND p.dtype = c.dtype
LEFT JOIN peak q ON q.chip = c.chip AND q.dtype = 'bf16' AND coalesce(c.dtype, 'bf16') IN ('bf16', 'fp16')
LEFT JOIN peak h ON h.chip = c.chip AND h.dtype = 'fp16' AND coalesce(c.dtype, 'fp16') IN ('bf16', 'fp16')
GROUP BY ALL;

-- 9. the whole ledger by pool, phase, category
CREATE TEMP TABLE ledger AS
WITH whole_t AS (SELECT t, pool, sum((e - s) * need) us FROM whole GROUP BY ALL),
rest AS (SELECT w.t, w.pool, w.us - coalesce(x.us, 0) us FROM whole_t w LEFT JOIN (SELECT t, pool, sum(us) us FROM t_cat GROUP BY ALL) x USING (t, pool)),
traced AS (SELECT j FROM spans0 UNION SELECT j FROM commits),
serves AS (SELECT DISTINCT t FROM sp WHERE prog = 3),
last_span AS (SELECT t, max(e) e FROM sp GROUP BY t),
dead AS (SELECT w.t, w.pool, sum((w.e - greatest(w.s, l.e)) * need) us FROM whole w JOIN att a USING (t) JOIN last_span l USING (t)
         WHERE a.outcome = 'node_fail' AND w.e > l.e AND w.t NOT IN (FROM serves) GROUP BY ALL),
poolev AS (SELECT pool, s tm, chips c, 0 d, 0 h FROM cap UNION ALL SELECT pool, least(coalesce(e, getvariable('as_of')), getvariable('as_of')), -chips, 0, 0 FROM cap
  UNION ALL SELECT pool, s, 0, chips, 0 FROM outage UNION ALL SELECT pool, least(coalesce(e, getvariable('as_of')), getvariable('as_of')), 0, -chips, 0 FROM outage
  UNION ALL SELECT pool, s, 0, 0, chips FROM alloc UNION ALL SELECT pool, e, 0, 0, -chips FROM alloc),
pooled AS (SELECT pool, sum(-c * tm) c, sum(-d * tm) d, sum(-h * tm) h FROM poolev WHERE tm <= getvariable('as_of') GROUP BY pool),
heldev AS (SELECT j, tm, sum(d) d FROM (SELECT j, s tm, chips d FROM alloc UNION ALL SELECT j, e, -chips FROM alloc
    UNION ALL SELECT j.j, least(j.submit, a.s), 0 FROM jobs j LEFT JOIN (SELECT j, min(s) s FROM att GROUP BY j) a USING (j) WHERE coalesce(j.submit, a.s) IS NOT NULL
    UNION ALL SELECT j.j, CASE WHEN a.j IS NULL OR a.running THEN getvariable('as_of') ELSE a.e END, 0 FROM jobs j LEFT JOIN (FROM att WHERE last_of_job) a USING (j)) GROUP BY j, tm),
gaps AS (SELECT j, tm s, lead(tm) OVER w e, sum(d) OVER (w ROWS UNBOUNDED PRECEDING) held FROM heldev WINDOW w AS (PARTITION BY j ORDER BY tm)),
short AS (SELECT g.j, g.s, (g.e - g.s) * (j.chips - g.held) us FROM gaps g JOIN jobs j USING (j) WHERE g.e IS NOT NULL AND j.chips > g.held),
starts AS (SELECT j, s, min(pool) pool FROM alloc GROUP BY j, s),
waited AS (SELECT coalesce(n.pool, b.pool) pool, q.j, q.us FROM (SELECT q.*, n.pool FROM short q ASOF LEFT JOIN starts n ON n.j = q.j AND q.s < n.s) n
           JOIN short q ON q.j = n.j AND q.s = n.s ASOF LEFT JOIN starts b ON b.j = q.j AND q.s >= b.s)
SELECT pool, phase, category, sum(us) us FROM (
  SELECT c.pool, j.phase, CASE WHEN cat = 'good' THEN 'inefficiency' ELSE cat END category, c.us - CASE WHEN cat = 'good' THEN coalesce(ideal, 0) ELSE 0 END us
    FROM t_cat c JOIN att USING (t) JOIN jobs j USING (j)
  UNION ALL SELECT c.pool, j.phase, 'ideal', ideal FROM t_cat c JOIN att USING (t) JOIN jobs j USING (j) WHERE cat = 'good'
  UNION ALL SELECT r.pool, j.phase, CASE WHEN j.j NOT IN (FROM traced) THEN 'untraced' WHEN j.phase = 'serving' AND r.t IN (FROM serves) THEN 'stall' ELSE 'unknown' END,
    r.us - coalesce(d.us, 0) FROM rest r LEFT JOIN dead d USING (t, pool) JOIN att USING (t) JOIN jobs j USING (j)
  UNION ALL SELECT pool, j.phase, 'stall', us FROM dead JOIN att USING (t) JOIN jobs j USING (j)
  UNION ALL SELECT seg.pool, j.phase, 'partial', (seg.e - seg.s) * CASE WHEN complete THEN surplus ELSE held END FROM seg JOIN att USING (t) JOIN jobs j USING (j)
  UNION ALL SELECT pool, NULL, 'down', d FROM pooled
  UNION ALL SELECT pool, NULL, 'idle', c - d - h FROM pooled
  UNION ALL SELECT pool, j.phase, 'queued', us FROM waited JOIN jobs j USING (j))
GROUP BY ALL;
