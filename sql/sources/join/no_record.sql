-- join/no_record.sql - sources that gave nothing. A part of join.sql and alone.sql.

-- A source whose format is known and that gave no record at all: its lines may end in another way than its format has them.
INSERT INTO mpg_issues(source, severity, kind, line, count, detail)
SELECT min(f.path), 'warning', 'no_record', NULL, count(*), 'of the format ' || s.format || ', but no record of it was found'
FROM source AS s JOIN file AS f USING (source)
WHERE coalesce((SELECT sum(value) FROM json_each(s.records)), 0) = 0 GROUP BY s.source;
