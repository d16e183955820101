-- device/launches.sql - the steps of the host, and of each of its calls the step and the operator around it.
--
-- Reads device_ranges_seen (device/step_names.sql) with the columns pid and nests, which tells whether a range lies within its
-- thread, as operators do; and device_host_calls(process, thread, call, start, "end", name, tid), a row for each call of a process,
-- which it drops. Makes device_host_steps(process, start, "end", step, outer_ns),
-- device_host_launches(process, call, start, "end", thread, name, op, op_start, step), and rows of device_steps.
-- A part of nsys.sql, rocpd.sql and perfetto.sql.

-- A step is called by the number in its range's name; where there is none, they are counted from 0.
DROP TABLE IF EXISTS temp.device_host_steps;
CREATE TEMP TABLE device_host_steps AS
WITH ordered AS (
  SELECT trace, process, pid, start, "end",
         coalesce(number, CAST(row_number() OVER (PARTITION BY thread, name ORDER BY start) - 1 AS TEXT)) AS step,
         max("end") OVER (PARTITION BY process ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM device_ranges_seen WHERE is_step
)
-- outer_ns: where the outermost of those that overlap begins, beyond which no search has to go back.
SELECT trace, process, pid, start, "end", step,
       max(CASE WHEN covered IS NULL OR start >= covered THEN start END) OVER (PARTITION BY process ORDER BY start) AS outer_ns
FROM ordered;
CREATE INDEX temp.device_host_step ON device_host_steps(process, start);

INSERT INTO device_steps (trace, process, side, step, start_ns, end_ns)
SELECT t.trace, CAST(s.pid AS TEXT), 'host', s.step, s.start + t.base_ns, s."end" + t.base_ns
FROM device_host_steps AS s JOIN device_traces AS t USING (trace);

-- The operator is the innermost range of the thread around the call. outermost: that around a range, beyond
-- which no search has to go back. Of 256 ranges the latest end is kept, to pass over those that all ended before.
DROP TABLE IF EXISTS temp.device_host_operators;
CREATE TEMP TABLE device_host_operators AS
WITH ordered AS (
  SELECT row_number() OVER (ORDER BY thread, start, "end" DESC) AS id, thread, op, start, "end",
         max("end") OVER (PARTITION BY thread ORDER BY start, "end" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
  FROM device_ranges_seen WHERE nests AND NOT is_step
)
SELECT id, thread, op, start, "end",
       max(CASE WHEN covered IS NULL OR start >= covered THEN id END) OVER (PARTITION BY thread ORDER BY id) AS outermost
FROM ordered;
CREATE UNIQUE INDEX temp.device_host_operator ON device_host_operators(id, "end");
CREATE INDEX temp.device_host_operator_begins ON device_host_operators(thread, start, id);

DROP TABLE IF EXISTS temp.device_host_operator_ends;
CREATE TEMP TABLE device_host_operator_ends AS
SELECT thread, id / 256 AS block, max("end") AS "end" FROM device_host_operators GROUP BY 1, 2;
CREATE INDEX temp.device_host_operator_end ON device_host_operator_ends(thread, block, "end");

DROP TABLE IF EXISTS temp.device_host_launches;
CREATE TEMP TABLE device_host_launches AS
WITH latest AS (
  SELECT *, (SELECT o.id FROM device_host_operators AS o
             WHERE o.thread = c.thread AND o.start <= c.start ORDER BY o.start DESC, o.id DESC LIMIT 1) AS latest
  FROM device_host_calls AS c
)
SELECT c.process, c.call, c.start, c."end", c.tid AS thread, c.name, i.op, i.start AS op_start,
       (SELECT s.step FROM device_host_steps AS s
        WHERE s.process = c.process AND s.start <= c.start AND c.start < s."end"
          AND s.start >= (SELECT o.outer_ns FROM device_host_steps AS o
                          WHERE o.process = c.process AND o.start <= c.start ORDER BY o.start DESC LIMIT 1)
        ORDER BY s.start DESC LIMIT 1) AS step
FROM latest AS c
LEFT JOIN device_host_operators AS l ON l.id = c.latest
LEFT JOIN device_host_operators AS i ON i.id = coalesce(
  (SELECT o.id FROM device_host_operators AS o
   WHERE o.id BETWEEN max(l.outermost, l.id - l.id % 256) AND l.id AND o."end" >= c."end" ORDER BY o.id DESC LIMIT 1),
  (SELECT o.id FROM device_host_operators AS o
   WHERE o."end" >= c."end" AND o.id BETWEEN l.outermost AND 255 + 256 * (
     SELECT e.block FROM device_host_operator_ends AS e
     WHERE e.thread = c.thread AND e.block BETWEEN l.outermost / 256 AND l.id / 256 - 1 AND e."end" >= c."end"
     ORDER BY e.block DESC LIMIT 1)
   ORDER BY o.id DESC LIMIT 1));
CREATE UNIQUE INDEX temp.device_host_launch ON device_host_launches(process, call);
DROP TABLE device_host_operators;
DROP TABLE device_host_operator_ends;
DROP VIEW device_host_calls;
