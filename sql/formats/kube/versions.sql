-- kube/versions.sql - whose each object is, and the last version of every object.
--
-- Reads kube_objects and kube_events. Makes kube_told and kube_covered, when something was last told; kube_last, the last version of each
-- object. A part of kube.sql, which says what the parameters are and runs the parts in order.

-- Kueue's Workload for a pod, or for pods, is of the job that the pod is of.
UPDATE kube_objects SET job = (SELECT max(p.job) FROM kube_objects AS p
                               WHERE p.namespace = kube_objects.namespace AND p.name = kube_objects.owner_name AND p.kind = 'Pod')
WHERE kind = 'Workload' AND owner_kind = 'Pod'
  AND EXISTS (SELECT 1 FROM kube_objects AS p
              WHERE p.namespace = kube_objects.namespace AND p.name = kube_objects.owner_name AND p.kind = 'Pod');

-- A pod that names its Workload is of the Workload's job. Pods of a RayCluster name that alone: it is of the RayJob or RayService
-- that its object names, or that the Workload is for, or of the RayJob itself, if it has that name and what KubeRay adds to it: five of the
-- letters and digits that Kubernetes makes names of.
UPDATE kube_objects SET job = coalesce((SELECT max(w.job) FROM kube_objects AS w
                                        WHERE w.namespace = kube_objects.namespace
                                          AND w.name = json_extract(kube_objects.annotations, '$."kueue.x-k8s.io/workload"')
                                          AND w.kind = 'Workload'), job)
WHERE kind = 'Pod' AND instr(annotations, 'kueue.x-k8s.io/workload"');
UPDATE kube_objects SET job = (SELECT max(c.job) FROM kube_objects AS c
                               WHERE c.namespace = kube_objects.namespace AND c.name = kube_objects.owner_name AND c.kind = 'RayCluster')
WHERE kind = 'Pod' AND owner_kind = 'RayCluster' AND coalesce(instr(annotations, 'kueue.x-k8s.io/workload"'), 0) = 0
  AND EXISTS (SELECT 1 FROM kube_objects AS c
              WHERE c.namespace = kube_objects.namespace AND c.name = kube_objects.owner_name AND c.kind = 'RayCluster');
DROP TABLE IF EXISTS temp.kube_rays;
CREATE TEMP TABLE kube_rays AS
SELECT DISTINCT job FROM kube_objects WHERE kind = 'RayJob' OR (kind = 'Workload' AND owner_kind IN ('RayJob', 'RayService'));
UPDATE kube_objects SET job = substr(job, 1, length(job) - iif(job GLOB '*-raycluster-?????', 17, 6))
WHERE 'RayCluster' IN (kind, owner_kind) AND job GLOB '*-' || replace('?????', '?', '[bcdfghjklmnpqrstvwxz2456789]')
  AND substr(job, 1, length(job) - iif(job GLOB '*-raycluster-?????', 17, 6)) IN (SELECT job FROM kube_rays);

-- The last time that each version of an object mentions, and all before it in its file; and which version it is.
DROP TABLE IF EXISTS temp.kube_told;
CREATE TEMP TABLE kube_told AS
WITH told AS (
  SELECT rowid AS version, _file, list, kind, uid, event,
         max(coalesce(creationTimestamp, 0), coalesce(scheduled, 0), coalesce(ready_time, 0), coalesce(started, 0), coalesce(finished, 0),
             coalesce(admitted, 0), coalesce(evicted, 0),
             coalesce((SELECT max(CAST(strftime('%s', json_extract(iif(type = 'object', value, '{}'), '$.lastHeartbeatTime')) AS INTEGER))
                       FROM json_each(CASE kind WHEN 'Node' THEN conditions END)), 0)) AS told
  FROM kube_objects
)
SELECT *, max(told) OVER (PARTITION BY _file ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
       row_number() OVER (PARTITION BY _file, kind, uid ORDER BY version) AS nth, _file AS listing
FROM told;
CREATE INDEX temp.kube_told_of ON kube_told(version);
CREATE INDEX temp.kube_told_by ON kube_told(kind, uid);

-- Listings are files without events in which nothing comes twice, and of files of several lists what stands before the next list of
-- something that was there. One was made after the last time that its objects mention.
DROP TABLE IF EXISTS temp.kube_again;
CREATE TEMP TABLE kube_again AS
SELECT _file, list, max(before) AS before
FROM (SELECT _file, list, lag(list) OVER (PARTITION BY _file, kind, uid ORDER BY version) AS before FROM kube_told
      WHERE _file IN (SELECT _file FROM kube_told GROUP BY _file HAVING max(nth) > 1 AND max(event) IS NULL AND count(list) = count(*)))
GROUP BY _file, list;
CREATE INDEX temp.kube_again_of ON kube_again(_file, list);
DROP TABLE IF EXISTS temp.kube_appended;
CREATE TEMP TABLE kube_appended AS
WITH RECURSIVE begins(_file, list) AS (
  SELECT DISTINCT _file, 1 FROM kube_again UNION ALL
  SELECT b._file, (SELECT a.list FROM kube_again AS a WHERE a._file = b._file AND a.list > b.list AND a.before >= b.list
                   ORDER BY a.list LIMIT 1) FROM begins AS b WHERE b.list IS NOT NULL
)
SELECT _file, CAST(list AS INTEGER) AS list FROM begins WHERE list IS NOT NULL;
CREATE INDEX temp.kube_appended_of ON kube_appended(_file, list);
UPDATE kube_told SET listing = _file || '#'
  || (SELECT a.list FROM kube_appended AS a WHERE a._file = kube_told._file AND a.list <= kube_told.list ORDER BY a.list DESC LIMIT 1),
  nth = 1
WHERE _file IN (SELECT _file FROM kube_appended);
DROP TABLE kube_again;
DROP TABLE kube_appended;
-- Versions that are not numbered, of several files: the later file is the one that mentions a later time.
DROP TABLE IF EXISTS temp.kube_unnumbered;
CREATE TEMP TABLE kube_unnumbered AS
SELECT o.kind, o.uid FROM kube_told AS t JOIN kube_objects AS o ON o.rowid = t.version
WHERE (SELECT count(DISTINCT listing) > 1 FROM kube_told) AND EXISTS (SELECT 1 FROM kube_objects WHERE resourceVersion IS NULL)
  AND o.event IS NOT 'BOOKMARK'
GROUP BY o.kind, o.uid HAVING count(DISTINCT listing) > 1 AND coalesce(max(CAST(resourceVersion AS INTEGER)), 0) = 0;
WITH files AS MATERIALIZED (
  SELECT listing, max(max(told, coalesce(completionTime, 0), coalesce(deletionTimestamp, 0), coalesce(startTime, 0),
                          coalesce((SELECT max(CAST(strftime('%s',
                                                             json_extract(iif(type = 'object', value, '{}'),
                                                                          '$.lastTransitionTime')) AS INTEGER)) FROM json_each(conditions)),
                                   0))) AS last
  FROM kube_told AS t JOIN kube_objects AS o ON o.rowid = t.version WHERE EXISTS (SELECT 1 FROM kube_unnumbered) GROUP BY listing
)
UPDATE kube_objects SET resourceVersion = (SELECT last FROM files JOIN kube_told AS t USING (listing) WHERE t.version = kube_objects.rowid)
WHERE (kind, uid) IN (SELECT kind, uid FROM kube_unnumbered);
DROP TABLE kube_unnumbered;
DROP TABLE IF EXISTS temp.kube_listings;
CREATE TEMP TABLE kube_listings AS
SELECT listing, max(max(told), coalesce((SELECT max(at) FROM kube_events AS e WHERE e._file = kube_told.listing), 0)) AS made
FROM kube_told GROUP BY listing HAVING max(event) IS NULL AND max(nth) = 1;

-- When the last of those was made that would show an object of a kind in a namespace: one that shows others
-- of this kind there, or in several namespaces.
DROP TABLE IF EXISTS temp.kube_covered;
CREATE TEMP TABLE kube_covered AS
WITH shown AS (
  SELECT listing, made, o.kind, coalesce(namespace, '') AS namespace, count(*) OVER (PARTITION BY listing, o.kind) AS namespaces
  FROM kube_told JOIN kube_listings USING (listing) JOIN kube_objects AS o ON o.rowid = version
  GROUP BY listing, o.kind, coalesce(namespace, '')
)
SELECT kind, namespace, max(made) AS made FROM shown GROUP BY kind, namespace
UNION ALL
SELECT kind, NULL, max(made) FROM shown WHERE namespaces > 1 GROUP BY kind;
CREATE INDEX temp.kube_covered_by ON kube_covered(kind, namespace);

-- A watch begins with a list, too, if it adds first what another source has of before (and is no later part of a file that was cut in two):
-- it shows what is there until its last time.
DROP TABLE IF EXISTS temp.kube_shown;
CREATE TEMP TABLE kube_shown AS
WITH of_watches AS (
  SELECT t.*, sum(event <> 'ADDED') OVER (PARTITION BY _file, kind ORDER BY version) AS others
  FROM kube_told AS t WHERE event IN ('ADDED', 'MODIFIED', 'DELETED') AND (SELECT count(DISTINCT listing) > 1 FROM kube_told)
    AND version NOT IN (SELECT b.version FROM kube_beside AS b)
),
begun AS (
  SELECT DISTINCT t._file, t.kind FROM of_watches AS t CROSS JOIN kube_objects AS o ON o.rowid = t.version
  CROSS JOIN kube_told AS x ON x.kind = t.kind AND x.uid = t.uid AND x.listing <> t.listing
  CROSS JOIN kube_objects AS e ON e.rowid = x.version
  WHERE others = 0 AND CAST(e.resourceVersion AS INTEGER) <= CAST(o.resourceVersion AS INTEGER)
),
sources AS (
  SELECT listing AS source, 0 AS watched, version, made AS until FROM kube_told JOIN kube_listings USING (listing)
  WHERE EXISTS (SELECT 1 FROM of_watches)
  UNION ALL
  SELECT _file, 1, version, max(told) OVER (PARTITION BY _file) FROM of_watches JOIN begun USING (_file, kind)
),
shown AS (
  SELECT source, watched, o.kind, coalesce(namespace, '') AS namespace, max(until) AS until,
         max(CAST(resourceVersion AS INTEGER)) AS number, count(*) OVER (PARTITION BY source, o.kind) AS namespaces
  FROM sources JOIN kube_objects AS o ON o.rowid = version GROUP BY source, o.kind, coalesce(namespace, '')
)
SELECT source, watched, kind, namespace, until, max(number) OVER (PARTITION BY source) AS number FROM shown
UNION ALL
SELECT source, watched, kind, NULL, max(until), max(number) FROM shown
WHERE namespaces > 1 GROUP BY source, kind;
CREATE INDEX temp.kube_shown_by ON kube_shown(kind, namespace);
INSERT INTO kube_covered SELECT kind, namespace, max(until) FROM kube_shown WHERE watched GROUP BY kind, namespace;

-- An object that only listings show, and that a later one, or a later watch, lacks, was deleted after the last one that has it.
DROP TABLE IF EXISTS temp.kube_gone;
CREATE TEMP TABLE kube_gone AS
SELECT o.kind, o.uid, max(made) AS seen
FROM kube_told LEFT JOIN kube_listings USING (listing) JOIN kube_objects AS o ON o.rowid = version
WHERE version NOT IN (SELECT b.version FROM kube_beside AS b)
GROUP BY o.kind, o.uid
HAVING count(*) = count(made)
   AND max(made) < max((SELECT max(made)
                        FROM (SELECT c.made FROM kube_covered AS c WHERE c.kind = o.kind AND c.namespace = coalesce(o.namespace, '')
                              UNION ALL
                              SELECT c.made FROM kube_covered AS c WHERE c.kind = o.kind AND c.namespace IS NULL)));
CREATE UNIQUE INDEX temp.kube_gone_of ON kube_gone(kind, uid);

-- A watch that breaks begins anew with all that is there: it is added, also what was known and not deleted, and each
-- once. The last version before that: the one before what is added in a row (there is none before the first of a
-- watch), and of these the last that is added again in it.
-- No watch tells a change twice, or of what it did not add since it began anew. Who ships its lines may send one, or a stretch of them,
-- again: then what is added in such a stretch, or next to itself, is no new beginning.
DROP TABLE IF EXISTS temp.kube_resent;
CREATE TEMP TABLE kube_resent(version INTEGER PRIMARY KEY);
--@ if EXISTS (SELECT 1 FROM kube_objects WHERE event IN ('MODIFIED', 'DELETED') GROUP BY _file, kind, uid, event, resourceVersion HAVING count(resourceVersion) > 1)
INSERT INTO kube_resent
WITH line AS (
  SELECT rowid AS version, _file, kind, uid, event, lag(rowid) OVER w AS above, lag(rowid) OVER so_far AS previous,
         sum(event <> 'ADDED') OVER so_far AS others
  FROM kube_objects WHERE event IN ('ADDED', 'MODIFIED', 'DELETED') AND resourceVersion IS NOT NULL
  WINDOW w AS (PARTITION BY _file, kind, uid, event, resourceVersion ORDER BY rowid), so_far AS (PARTITION BY _file, kind ORDER BY rowid)
),
stretch AS ( -- anew: where things are added of which one was there
  SELECT *, sum(above IS NULL) OVER (PARTITION BY _file, kind ORDER BY version) AS nth,
         max(iif(event = 'ADDED', version, NULL)) OVER (PARTITION BY _file, kind, uid ORDER BY version) AS added,
         iif(max(event = 'ADDED' AND above IS NOT NULL) OVER r, min(version) OVER r, NULL) AS anew
  FROM line WINDOW r AS (PARTITION BY _file, kind, others)
),
denied AS (
  SELECT *, event <> 'ADDED' AND (
           above = previous OR above IS NULL AND added < max(anew) OVER (PARTITION BY _file, kind ORDER BY version
                                                                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS denies
  FROM stretch
),
again AS (
  SELECT version, above, above = previous AS is_next, max(event <> 'ADDED') OVER (PARTITION BY _file, kind, nth, above IS NULL) AS told,
         max(denies) OVER (PARTITION BY _file) AS shipped
  FROM denied
)
SELECT version FROM again WHERE above IS NOT NULL AND shipped AND (told OR is_next);
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT _file, 'info', 'repeated_record', NULL, count(*), 'events that were sent again: they count once'
FROM kube_resent AS r JOIN kube_objects AS o ON o.rowid = r.version GROUP BY _file;
--@ end
DROP TABLE IF EXISTS temp.kube_anew;
CREATE TEMP TABLE kube_anew(_file TEXT, kind TEXT, version INTEGER, before);
-- An object that is added, and was there before, or a list that breaks off: mostly there is neither.
--@ if EXISTS (SELECT 1 FROM kube_told WHERE event IN ('ADDED', 'MODIFIED', 'DELETED') GROUP BY _file, kind, uid HAVING total(event = 'ADDED') > 1 OR min(iif(event = 'ADDED', version, NULL)) > min(version)) OR EXISTS (SELECT 1 FROM kube_told GROUP BY _file, kind HAVING min(list) < max(list) OR count(list) BETWEEN 1 AND count(*) - 1)
INSERT INTO kube_anew
WITH counted AS (
  SELECT *, sum(event <> 'ADDED') OVER so_far AS others, lag(version, 1, 0) OVER so_far AS previous,
         list IS NOT lag(list) OVER so_far AS broken, lag(event) OVER (PARTITION BY _file, kind, uid ORDER BY version) AS was
  FROM kube_told
  WHERE event IN ('ADDED', 'MODIFIED', 'DELETED') AND version NOT IN (SELECT r.version FROM kube_resent AS r)
  WINDOW so_far AS (PARTITION BY _file, kind ORDER BY version)
),
added AS (
  SELECT *, lead(version) OVER (PARTITION BY _file, kind, others, uid ORDER BY version) AS again FROM counted WHERE event = 'ADDED'
),
ended AS (
  SELECT _file, kind, min(previous) AS version FROM added GROUP BY _file, kind, others HAVING max(was IS NOT NULL AND was <> 'DELETED')
  UNION
  SELECT _file, kind, max(version) FROM added WHERE again IS NOT NULL GROUP BY _file, kind, others
  UNION -- an error said so, of the one kind that the file has
  SELECT _file, kind, previous FROM added
  WHERE broken AND previous > 0 AND _file NOT IN (SELECT _file FROM kube_told GROUP BY _file HAVING min(kind) < max(kind))
)
SELECT e._file, e.kind, CAST(e.version AS INTEGER) AS version, max(coalesce(t.before, 0), t.told) AS before
FROM ended AS e JOIN kube_told AS t ON t.version = e.version;
--@ end
DROP TABLE kube_resent;
CREATE INDEX temp.kube_anew_of ON kube_anew(_file, kind, version);

DROP TABLE IF EXISTS temp.kube_last;
CREATE TEMP TABLE kube_last AS
WITH versions AS ( -- narrow, as objects are wide
  SELECT rowid AS version, row_number() OVER (PARTITION BY kind, uid ORDER BY CAST(resourceVersion AS INTEGER) DESC, rowid DESC) AS age
  FROM kube_objects
  WHERE event IS NOT 'BOOKMARK'
)
SELECT o.*, v.version, v.age, NULL AS gone FROM versions AS v CROSS JOIN kube_objects AS o ON o.rowid = v.version WHERE v.age = 1;
UPDATE kube_last SET event = 'DELETED', gone = (SELECT seen FROM kube_gone AS g WHERE g.kind = kube_last.kind AND g.uid = kube_last.uid)
WHERE EXISTS (SELECT 1 FROM kube_gone AS g WHERE g.kind = kube_last.kind AND g.uid = kube_last.uid);
-- What was not added again was deleted while nobody watched.
UPDATE kube_last
SET event = 'DELETED',
    gone = (SELECT a.before FROM kube_anew AS a
            WHERE a._file = kube_last._file AND a.kind = kube_last.kind AND a.version >= kube_last.version ORDER BY a.version LIMIT 1)
WHERE event IN ('ADDED', 'MODIFIED')
  AND EXISTS (SELECT 1 FROM kube_anew AS a WHERE a._file = kube_last._file AND a.kind = kube_last.kind AND a.version >= kube_last.version);
-- Nor did a later watch or listing show it: one of higher versions. (A stream without events shows only what changes.)
UPDATE kube_last
SET event = 'DELETED', gone = w.last
FROM (SELECT t.version, t.listing, l.made IS NOT NULL AS listed, coalesce(l.made, m.last) AS last, m.number
      FROM kube_told AS t JOIN (SELECT k.listing, max(told) AS last, max(CAST(resourceVersion AS INTEGER)) AS number
                                FROM kube_told AS k JOIN kube_objects AS o ON o.rowid = k.version GROUP BY k.listing) AS m USING (listing)
      LEFT JOIN kube_listings AS l ON l.listing = t.listing WHERE EXISTS (SELECT 1 FROM kube_shown)) AS w
WHERE w.version = kube_last.version AND kube_last.version NOT IN (SELECT b.version FROM kube_beside AS b)
  AND (event IN ('ADDED', 'MODIFIED')
       OR event IS NULL AND listed AND NOT EXISTS (SELECT 1 FROM kube_told AS t WHERE t.kind = kube_last.kind AND t.uid = kube_last.uid
                                                     AND t.event IS NULL AND t.listing NOT IN (SELECT l.listing FROM kube_listings AS l)))
  AND EXISTS (SELECT 1 FROM kube_shown AS s
              WHERE s.kind = kube_last.kind AND (s.namespace = coalesce(kube_last.namespace, '') OR s.namespace IS NULL)
                AND s.source NOT IN (kube_last._file, w.listing)
                AND iif(s.number > 0 AND w.number > 0, s.number > w.number, s.until > w.last AND s.until >= kube_last.creationTimestamp)
                AND NOT EXISTS (SELECT 1 FROM kube_told AS t
                                WHERE t.kind = kube_last.kind AND t.uid = kube_last.uid AND s.source IN (t.listing, t._file)));
DROP TABLE kube_shown;
CREATE INDEX temp.kube_last_of ON kube_last(kind, uid);
CREATE INDEX temp.kube_last_named ON kube_last(kind, name, namespace);
