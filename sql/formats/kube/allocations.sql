-- kube/allocations.sql - what each attempt holds.
--
-- Reads kube_objects, kube_last, kube_held, kube_parts, kube_nodes, kube_evictions, kube_attempts, kube_sizes and jobs. Makes
-- kube_admitted, kube_untimed, and the relation allocations.
-- A part of kube.sql, which says what the parameters are and runs the parts in order.

-- ---- 7. Allocations ----

-- What was deleted, and does not say when: at the last time that its watch told of before.
DROP TABLE IF EXISTS temp.kube_untimed;
CREATE TEMP TABLE kube_untimed AS
SELECT l.version, max(coalesce(t.before, 0), t.told) AS deleted
FROM kube_last AS l JOIN kube_told AS t USING (version)
WHERE l.event = 'DELETED' AND l.chips > 0 AND l.kind <> 'Node' AND coalesce(l.finished, l.deletionTimestamp, l.gone) IS NULL;
CREATE UNIQUE INDEX temp.kube_untimed_of ON kube_untimed(version);
-- A Workload whose pods are not known, for they were removed before the listing was made: it holds its chips from its admission until it
-- finished or was evicted. Its versions tell of each admission, and for each it counts if no pod of the job was there then, on a node or
-- waiting for one.
DROP TABLE IF EXISTS temp.kube_lives;
CREATE TEMP TABLE kube_lives AS
SELECT p.job, coalesce(p.creationTimestamp, h.start_time, 0) AS start_time,
       coalesce(h.end_time, iif(h.uid IS NULL, coalesce(p.finished, p.deletionTimestamp, p.gone,
                                                        iif(p.event = 'DELETED', p.creationTimestamp, NULL)), NULL), 9e18) AS end_time
FROM kube_last AS p LEFT JOIN kube_held AS h ON h.uid = p.uid
WHERE p.kind = 'Pod' AND p.chips > 0
  AND p.job IN (SELECT w.job FROM kube_last AS w WHERE w.kind = 'Workload');
CREATE INDEX temp.kube_lives_of ON kube_lives(job, start_time);
DROP TABLE IF EXISTS temp.kube_unadmitted;
CREATE TEMP TABLE kube_unadmitted AS -- since when a version is admitted no more
SELECT DISTINCT w.uid, CAST(strftime('%s', json_extract(c.value, '$.lastTransitionTime')) AS INTEGER) AS at
FROM kube_objects AS w CROSS JOIN json_each(w.conditions) AS c
WHERE w.kind = 'Workload' AND w.admitted IS NULL AND instr(w.conditions, '"Admitted"')
  AND json_extract(iif(c.type = 'object', c.value, '{}'), '$.type') = 'Admitted';
CREATE INDEX temp.kube_unadmitted_of ON kube_unadmitted(uid, at);
DROP TABLE IF EXISTS temp.kube_admissions;
CREATE TEMP TABLE kube_admissions AS
SELECT uid, job, flavor, spec, status, admitted, claims, chips, min_chips, resources
FROM (SELECT *, row_number() OVER (PARTITION BY uid, admitted ORDER BY CAST(resourceVersion AS INTEGER) DESC, rowid DESC) AS age
      FROM kube_objects WHERE kind = 'Workload' AND admitted IS NOT NULL AND event IS NOT 'BOOKMARK')
WHERE age = 1;
CREATE INDEX temp.kube_admissions_of ON kube_admissions(uid, admitted);
-- Those that no version shows are in Kueue's events.
DROP TABLE IF EXISTS temp.kube_admitting;
CREATE TEMP TABLE kube_admitting AS
SELECT DISTINCT e.rowid AS event, l.version, e.at
FROM kube_events AS e JOIN kube_last AS l ON l.kind = 'Workload' AND l.name = e.name AND l.namespace = e.namespace
WHERE e.about = 'Workload' AND e.reason = 'Admitted' AND coalesce(e.uid, l.uid) = l.uid AND e.at >= coalesce(l.creationTimestamp, e.at)
  AND NOT EXISTS (SELECT 1 FROM kube_admissions AS v WHERE v.uid = l.uid AND v.admitted BETWEEN e.at - 5 AND e.at + 5);
UPDATE kube_events SET used = 1 WHERE rowid IN (SELECT event FROM kube_admitting);
INSERT INTO kube_admissions
SELECT l.uid, l.job, l.flavor, l.spec, l.status, a.at, l.claims, l.chips, l.min_chips, l.resources
FROM (SELECT DISTINCT version, at FROM kube_admitting) AS a JOIN kube_last AS l USING (version);
DROP TABLE kube_admitting;
DROP TABLE IF EXISTS temp.kube_admitted;
CREATE TEMP TABLE kube_admitted AS
WITH admission AS (
  SELECT v.uid, v.job, v.flavor, v.spec, v.status, v.admitted, v.resources, l.admitted IS v.admitted AS last,
         iif(v.claims IS NULL, v.chips, l.chips) AS chips, iif(v.claims IS NULL, v.min_chips, l.min_chips) AS min_chips,
         l.finished, l.evicted, CASE WHEN l.event = 'DELETED' THEN coalesce(l.deletionTimestamp, l.gone, u.deleted) END AS gone, l.outcome,
         lead(v.admitted) OVER (PARTITION BY v.uid ORDER BY v.admitted) AS next
  FROM kube_admissions AS v JOIN kube_last AS l ON l.kind = 'Workload' AND l.uid = v.uid
  LEFT JOIN kube_untimed AS u ON u.version = l.version
),
ended AS (
  SELECT *, (SELECT min(k.at) FROM kube_evictions AS k WHERE k.job = a.job AND k.at > a.admitted AND k.at <= coalesce(a.next, 9e18)) AS out,
         (SELECT min(w.at) FROM kube_unadmitted AS w WHERE NOT a.last AND w.uid = a.uid AND w.at >= a.admitted) AS withdrawn
  FROM admission AS a
),
timed AS (
  SELECT *, iif(last, coalesce(finished, evicted, gone), coalesce(out, withdrawn, next, finished, gone)) AS end_time,
         -- the cluster to which MultiKueue sent it
         coalesce(json_extract(status, '$.clusterName'),
                  (SELECT max(rtrim(substr(message, instr(message, 'reservation on "') + 16), '"'))
                   FROM (SELECT json_extract(iif(type = 'object', value, '{}'), '$.message') AS message
                         FROM json_each(status, '$.admissionChecks')) WHERE instr(message, 'reservation on "'))) AS worker FROM ended
),
-- what each flavor has of it, where its sets of pods have several
used AS (
  SELECT t.uid, t.admitted, json_extract(a.value, '$.flavors."' || r.key || '"') AS flavor, r.key AS resource, r.value AS chips,
         CAST(json_extract(a.value, '$.resourceUsage."' || r.key || '"') AS REAL) AS used
  FROM timed AS t, json_each(t.status, '$.admission.podSetAssignments') AS a, json_each(t.resources) AS r
  WHERE a.type = 'object' AND instr(t.status, '"podSetAssignments"')
),
parts AS (
  SELECT uid, admitted, flavor AS part_flavor, sum(chips * used / every) AS part
  FROM (SELECT *, sum(used) OVER (PARTITION BY uid, admitted, resource) AS every FROM used WHERE used > 0 AND flavor IS NOT NULL)
  GROUP BY 1, 2, 3
),
shares AS (
  SELECT *, part / sum(part) OVER same AS share, count(*) OVER same AS n FROM parts WINDOW same AS (PARTITION BY uid, admitted)
)
SELECT job, (SELECT count(*) FROM kube_evictions AS k WHERE k.job = t.job AND k.at <= t.admitted) AS evictions,
       CASE WHEN worker <> '' THEN worker
            WHEN coalesce(part_flavor, flavor) IN (SELECT pool FROM kube_nodes)
              OR (SELECT count(DISTINCT pool) FROM kube_nodes) <> 1 THEN coalesce(part_flavor, flavor, 'kubernetes')
            ELSE (SELECT min(pool) FROM kube_nodes) END AS pool,
       round((chips - iif(min_chips < chips,
                         coalesce((SELECT (chips - min_chips) * (json_extract(s.value, '$.count') - json_extract(a.value, '$.count'))
                                     / (json_extract(s.value, '$.count') - json_extract(s.value, '$.minCount'))
                                  -- one set at most may get fewer pods than it wants
                                  FROM json_each(spec, '$.podSets') AS s JOIN json_each(status, '$.admission.podSetAssignments') AS a
                                  WHERE s.type = 'object' AND a.type = 'object'
                                     AND json_extract(a.value, '$.name') = json_extract(s.value, '$.name')
                                     AND json_extract(s.value, '$.minCount') < json_extract(s.value, '$.count')), 0), 0))
               * coalesce(h.share, 1), 6) AS chips,
       t.admitted AS start_time, end_time,
       iif(last, outcome, coalesce((SELECT min(k.outcome) FROM kube_evictions AS k WHERE k.job = t.job AND k.at = end_time),
                                   iif(end_time IS NULL, outcome, 'preempted'))) AS outcome
FROM timed AS t LEFT JOIN shares AS h ON h.uid = t.uid AND h.admitted = t.admitted AND h.n > 1
WHERE chips > 0 AND NOT EXISTS (SELECT 1 FROM kube_lives AS p
                                WHERE p.job = t.job AND p.start_time < coalesce(t.end_time, 9e18) AND p.end_time > t.admitted);
DROP TABLE kube_lives;
DROP TABLE kube_admissions;
DROP TABLE kube_unadmitted;

DROP TABLE IF EXISTS temp.allocations;
CREATE TEMP TABLE allocations AS
WITH held AS (
  SELECT job, attempt, task, node, pool, coalesce(p.chips, a.chips) AS chips, coalesce(p.start_time, a.start_time) AS start_time,
         iif(p.uid IS NULL, a.end_time, p.end_time) AS end_time, outcome
  FROM kube_attempts AS a LEFT JOIN kube_parts AS p ON p.uid = a.uid
)
SELECT job, attempt, task, coalesce(n.pool, h.pool) AS pool, h.chips, max(h.start_time, coalesce(n.moved, h.start_time)) AS start_time,
       nullif(min(coalesce(h.end_time, 9e18), coalesce(n.end_time, h.end_time, 9e18)), 9e18) AS end_time, outcome
-- one that went to another pool meanwhile
FROM held AS h LEFT JOIN kube_nodes AS n ON n.node = h.node AND n.uid IN (SELECT uid FROM kube_periods)
     AND (n.moved IS NULL OR n.moved < coalesce(h.end_time, 9e18)) AND coalesce(n.end_time, 9e18) > h.start_time
UNION ALL
SELECT job, 1000000 + evictions, NULL, pool, chips, start_time, max(start_time, end_time), outcome FROM kube_admitted; -- numbered anew:
UPDATE allocations SET attempt = n.nth
FROM (SELECT row, dense_rank() OVER (PARTITION BY job ORDER BY first) AS nth
      FROM (SELECT rowid AS row, job, min(start_time) OVER (PARTITION BY job, attempt) AS first FROM allocations
            WHERE job IN (SELECT job FROM kube_admitted))) AS n
WHERE n.row = allocations.rowid;

-- Pods that ended while others of their job went on, if the job wanted fewer pods at last: it asks for their chips no more.
UPDATE allocations SET outcome = 'released'
FROM (SELECT a.job, a.attempt, max(coalesce(a.end_time, 9e18)) AS ended, max(a.attempt) OVER (PARTITION BY a.job) AS last
      FROM (SELECT k.job, k.most, l.chips,
                   row_number() OVER (PARTITION BY k.job, k.kind ORDER BY CAST(l.resourceVersion AS INTEGER) DESC) AS age
            FROM kube_sizes AS k JOIN kube_last AS l ON l.job = k.job AND l.kind = k.kind WHERE l.chips > 0) AS s
      JOIN allocations AS a ON a.job = s.job WHERE s.age = 1 AND s.chips < s.most GROUP BY a.job, a.attempt) AS e
WHERE e.attempt = e.last AND allocations.job = e.job AND allocations.attempt = e.attempt AND allocations.end_time < e.ended
  AND outcome IN ('cancelled', 'completed');
DROP TABLE kube_sizes;
-- A Job may have more pods to complete than run at once: these are the pods after whose success none is made any more.
UPDATE allocations SET outcome = 'released'
FROM (WITH shards AS MATERIALIZED (
        SELECT job, json_extract(spec, '$.completions') - coalesce(json_extract(spec, '$.parallelism'), 1) AS more FROM kube_last
        WHERE kind = 'Job' AND namespace || '/' || name = job AND instr(spec, '"completions"')
          AND json_extract(spec, '$.completions') > coalesce(json_extract(spec, '$.parallelism'), 1)
      )
      SELECT row, end_time, ended, outcome IS 'completed'
               AND sum(outcome IS 'completed') OVER (PARTITION BY job ORDER BY coalesce(end_time, 9e18), row) > more AS over
      FROM (SELECT a.rowid AS row, a.job, more, a.end_time, a.outcome,
                   max(coalesce(a.end_time, 9e18)) OVER (PARTITION BY a.job, a.attempt) AS ended
            FROM shards JOIN allocations AS a USING (job))) AS s
WHERE s.row = allocations.rowid AND over AND s.end_time < ended;

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT l._file, 'warning', 'missing_end', NULL, count(*),
       'objects that were deleted while they waited, or held chips without pods, the first '
         || min(l.kind || ' ' || l.namespace || '/' || l.name)
         || ', and nothing that says when: at the last time before in the watch at the earliest'
FROM kube_untimed AS u JOIN kube_last AS l USING (version)
LEFT JOIN (SELECT job, min(start_time) AS first FROM allocations WHERE chips > 0 GROUP BY job) AS f ON f.job = l.job
WHERE l.job IN (SELECT job FROM jobs WHERE chips > 0) AND iif(l.kind = 'Pod', l.nodeName IS NULL, coalesce(first > u.deleted, 1))
   OR l.kind = 'Workload' AND l.evicted IS NULL AND (l.job, l.admitted, u.deleted) IN (SELECT job, start_time, end_time FROM kube_admitted)
GROUP BY l._file;
-- A job that left the queue without holding anything: 0 chips at that moment, which closes its request. A Workload that is deactivated is
-- evicted, whether it was admitted or not, and requests nothing until it is activated again. A job that ran to its end in pods that nobody
-- saw requests nothing, for nothing says how long it waited and held.
INSERT INTO allocations
WITH unheld AS (
  SELECT *, coalesce(finished, deletionTimestamp, gone, deleted) AS at, event IS 'DELETED' OR finished IS NOT NULL AS over,
         CASE WHEN kind = 'Workload' AND NOT coalesce(json_extract(spec, '$.active'), 1) THEN evicted END AS deactivated,
         CASE WHEN kind NOT IN ('Pod', 'Workload') AND namespace || '/' || name = job
                AND outcome IN ('completed', 'failed') THEN outcome END AS ran
  FROM kube_last LEFT JOIN kube_untimed USING (version)
  WHERE job IN (SELECT job FROM jobs) AND job NOT IN (SELECT job FROM allocations) AND kind <> 'Node'
),
ended AS (
  SELECT job, max(flavor) AS flavor, min(ran) AS ran,
         CASE WHEN min(ran) IS NOT NULL THEN min(creationTimestamp) ELSE coalesce(max(deactivated), max(at)) END AS at
  FROM unheld
  GROUP BY job
  HAVING min(over) OR min(ran) IS NOT NULL OR (max(deactivated) IS NOT NULL AND min(over OR kind <> 'Workload' OR deactivated IS NOT NULL))
)
SELECT job, 1, NULL, coalesce(flavor, 'kubernetes'), 0, at, at, coalesce(ran, 'cancelled') FROM ended WHERE at IS NOT NULL;

-- A job that was evicted and waits again: 0 chips from then on, which keeps its request open.
INSERT INTO allocations
WITH latest AS (
  SELECT job, max(attempt) AS attempt, pool, max(start_time) AS start_time, max(end_time) AS end_time, max(end_time IS NULL) AS running
  FROM allocations
  GROUP BY job
)
SELECT w.job, l.attempt + 1, NULL, l.pool, 0, max(w.evicted, l.end_time), NULL, NULL
FROM kube_last AS w JOIN latest AS l USING (job)
WHERE w.kind = 'Workload' AND w.evicted IS NOT NULL AND w.finished IS NULL AND w.event IS NOT 'DELETED'
  AND coalesce(json_extract(w.spec, '$.active'), 1)
  AND NOT running AND w.evicted > l.start_time;

-- A job whose pods have ended, while one waits for a node: 0 chips since then, or since that one was made if the end was good or nobody
-- asked for more, until it is gone.
INSERT INTO allocations
WITH waits AS (
  SELECT job, min(creationTimestamp) AS made,
         iif(max(event IS NOT 'DELETED'), NULL, max(coalesce(deletionTimestamp, gone, deleted, creationTimestamp))) AS gone
  FROM kube_last LEFT JOIN kube_untimed USING (version)
  WHERE kind = 'Pod' AND chips > 0 AND scheduled IS NULL AND nodeName IS NULL AND finished IS NULL
    AND job IN (SELECT job FROM jobs WHERE chips > 0)
    AND job NOT IN (SELECT o.job FROM kube_last AS o
                    WHERE o.kind NOT IN ('Pod', 'Node') AND (o.finished IS NOT NULL OR o.event IS 'DELETED') AND o.job IS NOT NULL)
  GROUP BY job
),
latest AS (
  SELECT job, max(attempt) AS attempt, max(end_time) AS end_time, max(end_time IS NULL) AS running FROM allocations
  WHERE job IN (SELECT w.job FROM waits AS w) GROUP BY job
),
since AS (
  SELECT l.job, l.attempt, a.pool, w.gone, iif(coalesce(a.outcome, 'completed') IN ('completed', 'cancelled'), max(w.made, l.end_time),
                                               l.end_time) AS start_time
  FROM latest AS l JOIN waits AS w USING (job) JOIN allocations AS a ON a.rowid = (
    SELECT b.rowid FROM allocations AS b WHERE b.job = l.job AND b.end_time = l.end_time ORDER BY b.attempt DESC LIMIT 1)
  WHERE NOT running
)
SELECT job, attempt + 1, NULL, pool, 0, start_time, gone, iif(gone IS NULL, NULL, 'cancelled')
FROM since WHERE coalesce(gone > start_time, 1);
