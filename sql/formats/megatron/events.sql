-- megatron/events.sql - when each line was over.
--
-- Reads training_lines, training_ranges and training_counted. Makes training_events, a row a line, in the order of the
-- runs, and training_marks.
-- A part of megatron.sql, which says what the parameters are and runs the parts in order.

-- A clock of whole seconds is late by up to a second: the elapsed times of all lines of a run say by how much.
-- (One pass from line to line, for windows over all of them take longer. `elapsed` is that of its file, `all_elapsed` of those that begin
-- when the one before them is over.)
DROP TABLE IF EXISTS temp.training_sequence;
CREATE TEMP TABLE training_sequence AS
SELECT l.rowid AS id, r.rowid AS range, step IS NOT NULL AS is_step, time, executions,
       coalesce(executions * each, told_timer_ms / 1000.0, 0.0) AS seconds
FROM training_ranges AS r CROSS JOIN training_lines AS l ON l.rowid BETWEEN r.first AND r.last
LEFT JOIN training_counted AS c ON c.id = l.rowid;
DROP TABLE IF EXISTS temp.training_events;
CREATE TEMP TABLE training_events AS
WITH RECURSIVE summed(nth, range, of_file, time, so_far, place, late, base, elapsed, all_elapsed) AS ( -- late: of the lines before
  SELECT 0, 0, 0, NULL, 0, 0, NULL, 0, 0, 0
  UNION ALL
  SELECT n.rowid, n.range, r.of_file, n.time, iif(n.range = s.range, so_far, 0) + iif(is_step, seconds, 0),
         iif(n.range = s.range, place, 0) + is_step,
         iif(n.range = s.range, coalesce(max(late, s.time - so_far), late, s.time - so_far), NULL),
         CASE WHEN r.of_file <> s.of_file THEN coalesce(mpg_time(:start, :zone), :start + 0, begun, 0)
              WHEN n.range <> s.range AND r.dated > base + elapsed THEN r.dated ELSE base END,
         iif(r.of_file <> s.of_file OR n.range <> s.range AND coalesce(r.dated > base + elapsed, 0), 0, elapsed) + iif(timed, 0, seconds),
         all_elapsed + iif(timed OR :job IS NULL OR begun IS NOT NULL AND :start IS NULL, 0, seconds)
  FROM summed AS s CROSS JOIN training_sequence AS n ON n.rowid = s.nth + 1 CROSS JOIN training_ranges AS r ON r.rowid = n.range
)
SELECT r.job, r.attempt, n.range, l.time, l.step, told_loaded, told_tflops, told_loss, told_batch, told_timer, told_saved, told_validated,
       told_exit, r.timed, n.executions, n.seconds,
       CASE WHEN timed AND whole
              THEN min(l.time + 0.999999, so_far + coalesce(max(late, l.time - so_far), late, l.time - so_far))
            WHEN timed THEN l.time
            ELSE base + iif(:job IS NULL OR begun IS NOT NULL AND :start IS NULL, elapsed, all_elapsed) END AS end_time,
       place, r.chips -- place: in the run, how many steps so far
FROM summed AS d CROSS JOIN training_sequence AS n ON n.rowid = d.nth CROSS JOIN training_ranges AS r ON r.rowid = n.range
CROSS JOIN training_lines AS l ON l.rowid = n.id;
DROP TABLE training_sequence;

-- Lines of no iteration, the line above those that lie next to each other, and how many such lines there are above it.
DROP TABLE IF EXISTS temp.training_marks;
CREATE TEMP TABLE training_marks(id INTEGER PRIMARY KEY, above, fewer);
INSERT INTO training_marks
SELECT id, min(id) OVER (PARTITION BY id - nth ORDER BY id) - 1, min(nth) OVER (PARTITION BY id - nth ORDER BY id) - 1
FROM (SELECT rowid AS id, row_number() OVER (ORDER BY rowid) AS nth FROM training_events WHERE step IS NULL);
