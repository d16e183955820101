-- device/parts.sql - devices that are a part of the chip by whose name they go: a TensorCore of a TPU v3, a die of an MI250X.
--
-- Reads device_told(trace), profiles that were read just now. A part of the scripts of profiles, which say what the parameters are.

INSERT INTO mpg_issues(source, severity, kind, count, detail)
WITH RECURSIVE found AS ( -- a look-up for each device, and not one for each activity
  SELECT trace, (SELECT min(device) FROM device_activity AS a WHERE a.trace = t.trace) AS device FROM device_told AS t
  UNION ALL
  SELECT trace, (SELECT min(a.device) FROM device_activity AS a WHERE a.trace = f.trace AND a.device > f.device)
  FROM found AS f WHERE device IS NOT NULL
),
named AS (
  SELECT trace, (SELECT a.chip FROM device_activity AS a WHERE a.trace = f.trace AND a.device = f.device LIMIT 1) AS chip
  FROM found AS f WHERE device IS NOT NULL
)
SELECT trace, 'warning', 'guessed_share', count(*),
       'devices that are a part of their chip, such as a ' || min(chip)
         || ': each counts as one by itself, by the name of the whole, whose peak is that of all parts'
FROM named WHERE chip_name(chip) IN (SELECT chip FROM mpg_chips WHERE devices > 1) GROUP BY trace;
