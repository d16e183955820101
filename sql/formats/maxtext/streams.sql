-- maxtext/streams.sql - standard output and standard error of one program in files of their own: what one tells is put between the steps of
-- the other.
--
-- Reads and changes training_lines, whose rowids are in the order of the lines, a file's without another's between them. Makes
-- source_told, and drops training_back. A part of maxtext.sql, which says what the parameters are and runs the parts in order.

-- MaxText prints steps to one of them, Orbax logs saves and loads to the other, often with the only clock. They are of one folder, and
-- their names differ in one word.
DROP TABLE training_back;
DROP TABLE IF EXISTS temp.training_streams;
CREATE TEMP TABLE training_streams AS
WITH ranged AS MATERIALIZED (
  SELECT file, rtrim(file, replace(file, '/', '')) AS folder, substr(file, 1 + length(rtrim(file, replace(file, '/', '')))) || '/' AS name,
         first, last
  FROM training_extents
),
word(o, e) AS (
  VALUES ('stdout', 'stderr'), ('STDOUT', 'STDERR'), ('.out', '.err'), ('_out', '_err'), ('-out', '-err'), ('.o/', '.e/')
  UNION ALL SELECT '.o' || value, '.e' || value FROM json_each('[0,1,2,3,4,5,6,7,8,9]')
),
pair AS MATERIALIZED (SELECT DISTINCT e.file AS e, o.file AS o
                      FROM ranged AS e JOIN word AS w ON instr(e.name, w.e)
                      JOIN ranged AS o ON o.folder = e.folder AND o.name = replace(e.name, w.e, w.o)),
half AS MATERIALIZED (
  SELECT *, EXISTS (SELECT 1 FROM training_lines AS l WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL) AS steps,
         NOT EXISTS (SELECT 1 FROM training_lines AS l
                     WHERE l.rowid BETWEEN first AND last AND l.step IS NOT NULL AND l.time IS NULL) AS timed
  FROM ranged WHERE file IN (SELECT e FROM pair UNION ALL SELECT o FROM pair)
)
SELECT f.file AS file, g.file AS of_file, f.first AS first, f.last AS last, g.first AS of_first, g.last AS of_last, g.timed AS timed
FROM pair JOIN half AS f ON f.file IN (e, o) AND NOT f.steps JOIN half AS g ON g.file IN (e, o) AND g.steps;

--@ if EXISTS (SELECT 1 FROM training_streams)
-- The lines of steps, the run that each is of, and what all lines up to it took. A program that says how it is set up begins a run, too.
DROP TABLE IF EXISTS temp.training_beside;
CREATE TEMP TABLE training_beside(id INTEGER PRIMARY KEY, pair, step, time, spent, run, back);
INSERT INTO training_beside
SELECT id, pair, step, time, spent, sum(begins) OVER (PARTITION BY pair ORDER BY id),
       row_number() OVER (PARTITION BY pair, step ORDER BY id DESC)
FROM (SELECT l.rowid AS id, s.of_file AS pair, l.step, iif(s.timed, l.time, NULL) AS time,
             sum(coalesce(l.step_seconds, l.eval_seconds, 0)) OVER w AS spent,
             lag(l.rowid) OVER w IS NULL OR lag(l.step) OVER w IS NOT NULL AND (l.step IS NULL OR l.step <= lag(l.step) OVER w) AS begins
      FROM training_streams AS s CROSS JOIN training_lines AS l ON l.rowid BETWEEN s.of_first AND s.of_last
      WHERE coalesce(l.step, l.all_steps, l.all_devices, l.chip_name) IS NOT NULL WINDOW w AS (PARTITION BY s.of_file ORDER BY l.rowid));
DELETE FROM training_beside WHERE step IS NULL;
CREATE INDEX temp.training_beside_step ON training_beside(pair, step);

-- The lines of the other file: what each is of, in which of its runs, and whether it is told while the program waits. A load begins a run,
-- and a save of a number that is not above the one before, unless it comes at once, as another host's.
DROP TABLE IF EXISTS temp.training_apart;
CREATE TEMP TABLE training_apart(id INTEGER PRIMARY KEY, pair, time, step, loaded, is_config, run, waits, at);
INSERT INTO training_apart
SELECT id, pair, time, step, loaded, is_config, sum(begins) OVER w, step IS NOT NULL
         AND (finished IS NULL OR count(iif(finished IS NULL, id, NULL)) OVER (PARTITION BY pair, step) = 0), NULL
FROM (SELECT l.rowid AS id, s.of_file AS pair, l.time, coalesce(l.saving, l.saved, l.blocking, l.finished) AS step, l.finished, l.loaded,
             coalesce(l.all_steps, l.all_devices, l.chip_name) IS NOT NULL AS is_config,
             CASE WHEN l.load_seconds IS NOT NULL THEN lag(l.load_seconds) OVER w IS NULL OR l.time - lag(l.time) OVER w > 10
                  WHEN coalesce(l.blocked, l.saving, l.saved,
                                iif(count(coalesce(l.blocked, l.saving, l.saved)) OVER (PARTITION BY s.of_file) = 0, l.finished,
                                    NULL)) IS NOT NULL
                    THEN coalesce(coalesce(l.saving, l.saved, l.blocking, l.finished)
                                    <= lag(coalesce(l.saving, l.saved, l.blocking, l.finished)) OVER kind
                                  AND l.time - lag(l.time) OVER kind > 10, 0) ELSE 0 END AS begins
      FROM training_streams AS s CROSS JOIN training_lines AS l ON l.rowid BETWEEN s.first AND s.last
      WINDOW w AS (PARTITION BY s.of_file ORDER BY l.rowid),
        kind AS (PARTITION BY s.of_file, l.finished IS NOT NULL, l.load_seconds IS NOT NULL, l.blocked IS NOT NULL ORDER BY l.rowid))
WINDOW w AS (PARTITION BY pair ORDER BY id);

-- A load stands before the first step of a run that goes on from it, a save after its step: of several such the last of the one has the
-- last of the other.
UPDATE training_apart SET at = f.id - 0.5
FROM (WITH first AS (SELECT pair, min(id) AS id, step FROM training_beside GROUP BY pair, run),
      run AS (SELECT pair, id, step, row_number() OVER (PARTITION BY pair, step ORDER BY id DESC) AS nth FROM first),
      load AS (SELECT id, pair, loaded, dense_rank() OVER (PARTITION BY pair, loaded ORDER BY run DESC) AS nth
               FROM training_apart WHERE loaded IS NOT NULL)
      SELECT l.id AS load, max(r.id) AS id
      FROM load AS l JOIN run AS r ON r.pair = l.pair AND r.nth = l.nth AND r.step IN (l.loaded, l.loaded + 1) GROUP BY l.id) AS f
WHERE f.load = training_apart.id;
UPDATE training_apart SET at = 0.5 + coalesce(
  (SELECT b.id FROM training_beside AS b
   WHERE b.pair = training_apart.pair AND b.step = training_apart.step AND b.back <= (SELECT count(DISTINCT o.run) FROM training_apart AS o
     WHERE o.pair = training_apart.pair AND o.step = training_apart.step AND o.run >= training_apart.run) ORDER BY b.back DESC LIMIT 1),
  (SELECT b.id FROM training_beside AS b WHERE b.pair = training_apart.pair AND b.step < training_apart.step
   ORDER BY b.step DESC, b.id DESC LIMIT 1))
WHERE waits;
UPDATE training_apart SET at = coalesce((SELECT min(id) FROM training_beside AS b WHERE b.pair = training_apart.pair), 0) - 0.5
WHERE is_config;

-- Other lines stand where their time lies between those of steps: by a clock of steps, or by what steps took since the last line that has a
-- place.
DROP TABLE IF EXISTS temp.training_dated;
CREATE TEMP TABLE training_dated(id INTEGER PRIMARY KEY, pair, time);
INSERT INTO training_dated
WITH placed AS (
  SELECT pair, id AS at, id, spent, time, NULL AS known FROM training_beside
  UNION ALL SELECT pair, at, NULL, NULL, NULL, time FROM training_apart
  WHERE at IS NOT NULL AND time IS NOT NULL AND (waits OR loaded IS NOT NULL)
),
spent AS (SELECT *, coalesce(max(spent) OVER (PARTITION BY pair ORDER BY at), 0) AS so_far FROM placed)
SELECT id, pair, time FROM (
  SELECT id, pair, coalesce(time,
                            so_far + coalesce(max(known - so_far) OVER (PARTITION BY pair ORDER BY at),
                                              min(known - so_far) OVER (PARTITION BY pair))) AS time FROM spent)
WHERE id IS NOT NULL;
CREATE INDEX temp.training_dated_at ON training_dated(pair, time);
UPDATE training_apart SET at = coalesce((SELECT d.id - 0.5
                                         FROM training_dated AS d WHERE d.pair = training_apart.pair AND d.time > training_apart.time
                                         ORDER BY d.time, d.id LIMIT 1),
                                        (SELECT max(id) + 0.5 FROM training_beside AS b WHERE b.pair = training_apart.pair))
WHERE NOT is_config AND (at IS NULL OR time IS NOT NULL AND pair IN (SELECT of_file FROM training_streams WHERE timed));

INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT of_file, 'info', 'joined_log', NULL, last - first + 1,
       'lines of ' || file || ', the other output of one program by its name: put between the steps' FROM training_streams;
CREATE TEMP TABLE IF NOT EXISTS source_told(path, parameter, what, told);
INSERT INTO temp.source_told SELECT file, NULL, 'log', 'a part of ' || of_file FROM training_streams;
INSERT INTO temp.source_told SELECT of_file, NULL, 'start', 'the clock of ' || file
FROM training_streams WHERE :start IS NULL AND of_file NOT IN (SELECT key FROM json_each(coalesce(:starts, '{}')))
  AND of_file IN (SELECT pair FROM training_dated WHERE time IS NOT NULL) AND NOT timed;
UPDATE training_lines SET file = m.file, line = m.line
FROM (SELECT a.id AS id, a.pair AS file,
             l.line + iif(a.at < s.of_first, -0.5, 0.5) + 1e-6 * row_number() OVER (PARTITION BY a.pair, a.at ORDER BY a.id) AS line
      FROM training_apart AS a JOIN training_streams AS s ON s.of_file = a.pair
      JOIN training_lines AS l ON l.rowid = max(s.of_first, CAST(a.at AS INTEGER))) AS m
WHERE m.id = training_lines.rowid;
DROP TABLE IF EXISTS temp.training_stay;
CREATE TEMP TABLE training_stay AS
SELECT l.* FROM (SELECT 1 FROM training_apart LIMIT 1) CROSS JOIN training_lines AS l LEFT JOIN training_apart AS a ON a.id = l.rowid
ORDER BY coalesce(a.at, l.rowid), l.rowid;
DELETE FROM temp.training_lines WHERE rowid >= (SELECT 0 FROM training_stay LIMIT 1);
INSERT INTO training_lines SELECT * FROM training_stay ORDER BY rowid;
DROP TABLE training_stay;
DROP TABLE training_dated;
DROP TABLE training_apart;
DROP TABLE training_beside;
--@ end
DROP TABLE training_streams;
