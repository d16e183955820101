-- no_trace.sql - the SQL that lists the profiles of which a function over profiles found nothing at all.
--
-- A mapping knows the files of which it read a record. One that holds counters alone, or no event, gave none.

SELECT iif(EXISTS (SELECT 1 FROM sqlite_temp_schema WHERE name = 'device_traces'), '
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT path, ''warning'', ''no_device_event'', NULL, 1, ''of the format '' || format || '', but nothing that it tells is of a device, of a call or of a step''
FROM file
WHERE source IS NOT NULL AND path NOT IN (SELECT trace FROM temp.device_traces)
  AND path NOT IN (SELECT source FROM mpg_issues WHERE severity <> ''info'' OR kind = ''ignored_file'')', '');
