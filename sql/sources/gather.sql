-- gather.sql - the SQL that copies what a mapping left in temp to the tables main.gathered_NAME of a table function.

SELECT coalesce(group_concat('INSERT INTO main."' || name || '"(' || columns || ') SELECT ' || columns || ' FROM temp."' || substr(name, 10)
                             || '"', ';'), '')
FROM (
  SELECT g.name, (SELECT group_concat('"' || t.name || '"')
                  FROM pragma_table_info(substr(g.name, 10), 'temp') AS t
                  WHERE lower(t.name) IN (SELECT lower(m.name) FROM pragma_table_info(g.name, 'main') AS m)) AS columns
  FROM sqlite_schema AS g WHERE g.type = 'table' AND g.name LIKE 'gathered\_%' ESCAPE '\'
)
WHERE columns IS NOT NULL;
