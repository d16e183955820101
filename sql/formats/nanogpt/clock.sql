-- nanogpt/clock.sql - steps whose lines have a clock, as what kept the log puts it there: none ends before its line.
--
-- Reads training_lines, training_ranges and training_first, changes so_far of training_counted: what is between two steps comes to what
-- they took. A clock of whole seconds is late by up to one, and so nothing ends earlier.
-- A part of nanogpt.sql, which says what the parameters are and runs the parts in order.

--@ if EXISTS (SELECT 1 FROM training_lines WHERE step IS NOT NULL AND time IS NOT NULL)
UPDATE training_counted SET so_far = training_counted.so_far + d.later
FROM (SELECT c.rowid AS place, max(max(0, coalesce(l.time - (k.start_time + c.so_far - k.seconds_before), 0))) OVER (PARTITION BY r.of_file
               ORDER BY c.rowid ROWS UNBOUNDED PRECEDING) AS later
      FROM training_ranges AS r CROSS JOIN training_first AS k ON k.of_file = r.of_file
      CROSS JOIN training_counted AS c ON c.rowid BETWEEN r.first_step AND r.last_step
      CROSS JOIN training_lines AS l ON l.rowid = c.id) AS d
WHERE d.place = training_counted.rowid AND d.later > 0;
--@ end
