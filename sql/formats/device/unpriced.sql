-- device/unpriced.sql - why a table of operators has no rows, or no roofline.
--
-- Reads device_told(trace), profiles that were read just now. :table is the table function that asks; by hand it is NULL. A part of the
-- scripts of profiles, which say what the other parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT t.trace, 'warning', 'no_flops', 1,
       'no operator whose FLOPs are known: ' || CASE
         WHEN NOT EXISTS (SELECT 1 FROM device_activity AS a WHERE a.trace = t.trace AND a.flops IS NOT NULL)
           THEN 'PyTorch''s profiler writes the shapes that tell them with record_shapes=True'
         ELSE 'this profile tells them of what devices did: see flops of trace_device_activity' END
FROM device_told AS t
WHERE :table IN ('trace_device_operators', 'trace_device_op_work', 'trace_device_op_roofline', 'trace_tracelens_work')
  AND NOT EXISTS (SELECT 1 FROM device_operators AS o WHERE o.trace = t.trace);
INSERT INTO mpg_issues(source, severity, kind, count, detail)
SELECT o.trace, 'warning', iif(o.chip IS NULL, 'no_chip', 'unknown_chip'), count(*),
       'operators without a roofline: ' || coalesce('mpg_chips has no ''' || o.chip || '''', 'the profile names no chip')
         || ': give chip_name' || iif(o.chip IS NULL, '', ', or add it to a table chips')
FROM (SELECT trace FROM device_told WHERE :table = 'trace_device_op_roofline') AS t CROSS JOIN device_operators AS o ON o.trace = t.trace
WHERE chip_name(o.chip) IS NULL GROUP BY o.trace, o.chip;
