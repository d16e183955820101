-- kineto/files.sql - what is known of the files before their events are: steps of other names, the traces, their devices.
--
-- Reads kineto_events, kineto_files and device_ranges_seen (device/step_names.sql). Makes kineto_devices and kineto_alike.
-- A part of kineto.sql.

-- Steps of other names than the profiler's; the device's by the number in their name.
DROP TABLE IF EXISTS temp.kineto_own_steps;
CREATE TEMP TABLE kineto_own_steps AS
SELECT event, trace, name, number, coalesce(number, CAST(row_number() OVER (PARTITION BY thread, name ORDER BY start) - 1 AS TEXT)) AS step
FROM device_ranges_seen WHERE is_step;
CREATE INDEX temp.kineto_own_step ON kineto_own_steps(event);
CREATE INDEX temp.kineto_own_name ON kineto_own_steps(trace, name);
UPDATE kineto_events SET step = NULL WHERE rowid IN (
  SELECT e.rowid FROM (SELECT 1 FROM kineto_own_steps LIMIT 1) CROSS JOIN kineto_events AS e
  WHERE e.step IS NOT NULL AND e.trace IN (SELECT trace FROM kineto_own_steps));
UPDATE kineto_events SET step = (SELECT o.step FROM kineto_own_steps AS o WHERE o.event = kineto_events.rowid)
WHERE rowid IN (SELECT event FROM kineto_own_steps);
UPDATE kineto_events SET step
  = (SELECT min(number) FROM kineto_own_steps AS o WHERE o.trace = kineto_events.trace AND o.name = kineto_events.name)
WHERE rowid IN (SELECT e.rowid FROM (SELECT 1 FROM kineto_own_steps LIMIT 1) CROSS JOIN kineto_events AS e
                WHERE e.cat = 'gpu_user_annotation' AND e.step IS NULL);
UPDATE kineto_faults SET steps = 1 WHERE EXISTS (SELECT 1 FROM kineto_own_steps);
DROP TABLE kineto_own_steps;
DROP TABLE device_ranges_seen;

DELETE FROM device_activity WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_steps WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_ranges WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_operators WHERE trace IN (SELECT trace FROM kineto_files);
DELETE FROM device_traces WHERE trace IN (SELECT trace FROM kineto_files);

INSERT INTO device_traces (trace, format, rank, world_size, base_ns, host)
SELECT trace, 'kineto', rank, world_size, coalesce(base_time_ns, 0), json_extract(properties, '$.host_name') FROM kineto_files;

DROP TABLE IF EXISTS temp.kineto_devices;
CREATE TEMP TABLE kineto_devices AS
SELECT f.trace, CAST(json_extract(d.value, '$.id') AS TEXT) AS device, min(nullif(json_extract(d.value, '$.name'), '')) AS chip,
       count(DISTINCT nullif(json_extract(d.value, '$.name'), '')) AS names
FROM kineto_files AS f, json_each(f.devices) AS d WHERE d.type = 'object' GROUP BY 1, 2;
CREATE INDEX temp.kineto_device ON kineto_devices(trace, device);
INSERT INTO kineto_left_out
SELECT trace, 'warning', 'conflict', count(*), 'devices that have two names, as where traces were put together: the first counts, ' || min(chip)
FROM kineto_devices WHERE names > 1 GROUP BY trace;
-- A partition of AMD's has the name of the whole GPU, and fewer compute units.
INSERT INTO kineto_left_out
SELECT f.trace, 'warning', 'guessed_share', count(*),
       'slices or partitions of GPUs, such as ' || min(json_extract(d.value, '$.name'))
         || ': each counts as a device of its own, by the name that it has'
FROM kineto_files AS f, json_each(f.devices) AS d
WHERE d.type = 'object' AND (json_extract(d.value, '$.name') GLOB '* MIG *' OR json_extract(d.value, '$.numSms') BETWEEN 1 AND CASE
  WHEN json_extract(d.value, '$.name') GLOB '*MI300X*' OR json_extract(d.value, '$.name') GLOB '*MI325X*' THEN 303
      WHEN json_extract(d.value, '$.name') GLOB '*MI300A*' THEN 227
  WHEN json_extract(d.value, '$.name') GLOB '*MI35[05]X*' THEN 255 END) GROUP BY f.trace;
-- Devices that are all alike: ROCm describes them from 0 on, and counts the host's CPUs before them where they run.
DROP TABLE IF EXISTS temp.kineto_alike;
CREATE TEMP TABLE kineto_alike AS
SELECT trace, min(chip) AS chip FROM kineto_devices GROUP BY trace
HAVING min(chip) = max(chip) AND count(chip) = count(*) AND max(names) = 1;
CREATE INDEX temp.kineto_alike_of ON kineto_alike(trace);
