/* bi.sql - statements as BI tools write them, after the tools' sources and documentation. {s} is what is asked: the ledger, a
   roll-up of a fixed grain, the tables of mpg_build and their views. tests/hosts/test_statements.py asks each of them, and of a
   copied table. A statement begins behind a line "-- name" and ends with its semicolon. */

-- Metabase 1
SELECT count(*) AS "count" FROM {s} AS "t";

-- Metabase 2
SELECT "t"."category" AS "category", COUNT(*) AS "count" FROM {s} AS "t" GROUP BY "t"."category" ORDER BY
"t"."category" ASC;

-- Metabase 3
SELECT "source"."pool" AS "pool", SUM("source"."chip_us") AS "sum" FROM (SELECT * FROM {s}) AS "source" GROUP BY
"source"."pool" ORDER BY "source"."pool" ASC;

-- Metabase 4
SELECT SUM("t"."chip_us") AS "sum" FROM {s} AS "t" WHERE "t"."chip_us" > 100000000;

-- Metabase 5
SELECT DATE("t"."hour") AS "hour", SUM("t"."chip_us") AS "sum" FROM {s} AS "t" GROUP BY DATE("t"."hour") ORDER BY
DATE("t"."hour") ASC;

-- Metabase 6
SELECT COUNT(*) AS "count" FROM {s} AS "t" WHERE ("t"."hour" >= DATE('2026-01-05')) AND ("t"."hour" <
DATE('2026-01-06'));

-- Metabase 7
SELECT DATETIME(STRFTIME('%Y-%m-%d %H:00', "t"."hour")) AS "hour", COUNT(*) AS "count" FROM {s} AS "t" GROUP BY
DATETIME(STRFTIME('%Y-%m-%d %H:00', "t"."hour")) ORDER BY 1 ASC;

-- Metabase 8
SELECT COUNT(DISTINCT "t"."job") AS "count" FROM {s} AS "t" WHERE (LOWER("t"."pool") LIKE '%v5%');

-- Metabase 9
SELECT AVG("t"."chip_us") AS "avg", MIN("t"."chip_us") AS "min", MAX("t"."chip_us") AS "max" FROM {s} AS "t";

-- Metabase 10
SELECT "t"."pool" AS "pool", "t"."category" AS "category", SUM("t"."chip_us") AS "sum" FROM {s} AS "t" WHERE
"t"."pool" IS NOT NULL GROUP BY "t"."pool", "t"."category" ORDER BY "sum" DESC, "t"."pool" ASC, "t"."category" ASC
LIMIT 10;

-- Metabase 11
SELECT SUM(CASE WHEN "t"."category" = 'ideal' THEN "t"."chip_us" ELSE 0 END) AS "sum" FROM {s} AS "t";

-- Metabase 12
SELECT ((FLOOR(("t"."chip_us" / 1000000000)) * 1000000000)) AS "bin", COUNT(*) AS "count" FROM {s} AS "t" GROUP BY 1
ORDER BY 1 ASC;

-- Superset 1
SELECT category AS category, COUNT(*) AS count FROM {s} AS t GROUP BY category ORDER BY count DESC, category LIMIT
1000 OFFSET 0;

-- Superset 2
SELECT DATETIME(hour, 'start of day') AS __timestamp, sum(chip_us) AS "SUM(chip_us)" FROM {s} AS t WHERE hour >=
'2026-01-05 00:00:00' AND hour < '2026-01-07 00:00:00' GROUP BY DATETIME(hour, 'start of day') ORDER BY __timestamp;

-- Superset 3
SELECT DATETIME(STRFTIME('%Y-%m-%dT%H:00:00', hour)) AS __timestamp, pool AS pool, sum(chip_us) AS c FROM {s} AS t
GROUP BY DATETIME(STRFTIME('%Y-%m-%dT%H:00:00', hour)), pool ORDER BY c DESC, 1, 2 LIMIT 50;

-- Superset 4
SELECT min(chip_us) AS "min", max(chip_us) AS "max" FROM {s} AS virtual_table;

-- Superset 5
SELECT DISTINCT pool AS pool FROM {s} AS t ORDER BY pool ASC LIMIT 1001 OFFSET 0;

-- Superset 6
SELECT phase AS phase, sum(chip_us) AS s FROM (SELECT * FROM {s} AS inner_qry) AS virtual_table WHERE phase IN
('training', 'serving') GROUP BY phase HAVING ((sum(chip_us) > 100)) ORDER BY s DESC;

-- Superset 7
SELECT sum(chip_us) / count(*) AS m FROM {s} AS t WHERE chip_us >= 0 AND chip_us <= 360000000000;

-- Superset 8
SELECT count(*) AS rowcount FROM (SELECT category AS category, sum(chip_us) AS c FROM {s} AS t GROUP BY category) AS
rowcount_qry;

-- Superset 9
SELECT pool AS pool FROM {s} AS t GROUP BY pool ORDER BY sum(chip_us) DESC LIMIT 5;

-- Superset 10
SELECT t.pool AS pool, sum(t.chip_us) AS c FROM {s} AS t JOIN (SELECT pool AS pool__, sum(chip_us) AS mme FROM {s}
GROUP BY pool ORDER BY mme DESC LIMIT 3) AS anon_1 ON t.pool = anon_1.pool__ GROUP BY t.pool ORDER BY c DESC;

-- Grafana 1
SELECT CAST(strftime('%s', hour) AS INTEGER) AS time, sum(chip_us) AS value FROM {s} AS t WHERE CAST(CASE WHEN
typeof(hour) = 'integer' THEN hour ELSE strftime('%s', hour) END AS INTEGER) BETWEEN 1767571200 AND 1767657600 GROUP
BY hour ORDER BY hour;

-- Grafana 2
SELECT cast((CAST(strftime('%s', hour) AS INTEGER) / 21600) as int) * 21600 AS window, category, sum(chip_us) AS value
FROM {s} AS t GROUP BY 1, 2 ORDER BY 1, 2;

-- Grafana 3
SELECT DISTINCT phase FROM {s} AS t ORDER BY 1;

-- Grafana 4
SELECT pool AS metric, sum(chip_us) FILTER (WHERE category = 'ideal') AS ideal FROM {s} AS t WHERE pool IN
('v4-zürich','h100-us-west2') GROUP BY pool ORDER BY pool;

-- Grafana 5
SELECT count(*) AS n FROM {s} AS t WHERE hour IS NOT NULL;

-- Grafana 6
SELECT coalesce(phase, '') AS metric, sum(chip_us) AS value FROM {s} AS t WHERE coalesce(phase, '') IN
('training','serving','') GROUP BY 1 ORDER BY 1;

-- Tableau 1
SELECT "Custom SQL Query"."pool" AS "pool", SUM("Custom SQL Query"."chip_us") AS "sum:chip_us:ok" FROM (SELECT * FROM
{s}) "Custom SQL Query" GROUP BY 1 ORDER BY 1;

-- Tableau 2
SELECT SUM(1) AS "cnt:Number of Records:ok" FROM {s} "t" HAVING (COUNT(1) > 0);

-- Tableau 3
SELECT "t"."category" AS "category" FROM {s} "t" GROUP BY 1 ORDER BY 1 ASC;

-- Tableau 4
SELECT CAST(STRFTIME('%Y', "t"."hour") AS INTEGER) AS "yr:hour:ok", SUM("t"."chip_us") AS "s" FROM {s} "t" GROUP BY 1;

-- Tableau 5
SELECT MIN("t"."chip_us") AS "TEMP(min)", MAX("t"."chip_us") AS "TEMP(max)", COUNT("t"."chip_us") AS "TEMP(count)"
FROM {s} "t";

-- Tableau 6
SELECT SUM("t"."chip_us") AS "s" FROM {s} "t" WHERE (("t"."chip_us" >= 1000000) AND ("t"."chip_us" <= 9000000000));

-- Tableau 7
SELECT "t"."job" AS "job", SUM("t"."chip_us") AS "s" FROM {s} "t" INNER JOIN (SELECT "t"."job" AS "job",
SUM("t"."chip_us") AS "x" FROM {s} "t" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5) "t0" ON ("t"."job" = "t0"."job") GROUP
BY 1 ORDER BY 1;

-- Tableau 8
SELECT COUNT(DISTINCT "t"."job") AS "ctd" FROM {s} "t" WHERE (NOT ("t"."job" IS NULL));

-- Power BI 1
select sum("chip_us") as "C1", "pool" from (select "pool", "chip_us" from {s}) as "ITBL" group by "pool" order by
"pool";

-- Power BI 2
select count(*) as "C1" from {s} as "t";

-- Power BI 3
select "phase", count(distinct "job") as "C1" from {s} as "t" where "phase" is not null group by "phase" order by
"phase";

-- Power BI 4
select max("hour") as "C1", min("hour") as "C2" from {s} as "t";

-- Power BI 5
select "category", "pool", sum("chip_us") as "C1" from {s} as "t" where not ("category" = 'queued') group by
"category", "pool" order by 1, 2;

-- Power BI 6
select count(*) as "C1", sum(case when "chip_us" is null then 1 else 0 end) as "C2" from {s} as "t";

-- DBeaver 1
SELECT count(*) FROM (SELECT * FROM {s}) dbvrcnt;

-- DBeaver 2
SELECT DISTINCT category FROM {s} t ORDER BY category LIMIT 200;

-- DBeaver 3
SELECT category, count(*) FROM {s} t GROUP BY category ORDER BY count(*) DESC, category LIMIT 200;

-- DBeaver 4
SELECT pool, job, chip_us FROM {s} t WHERE pool = 'h100-us-west2' AND chip_us > 1000000 ORDER BY chip_us DESC, job,
category, hour LIMIT 200;

-- DBeaver 5
SELECT pool, category, chip_us FROM {s} t ORDER BY chip_us DESC, pool, category, job, hour LIMIT 20 OFFSET 20;

-- DBeaver 6
SELECT pool, size, sum(chip_us) FROM {s} t WHERE size IN ('S', 'XL') GROUP BY pool, size ORDER BY 3 DESC, 1, 2 LIMIT
200;

-- Datasette 1
select category as value, count(*) as count from (select * from {s}) where category is not null group by category
order by count desc, value limit 31;

-- Datasette 2
select count(*) from (select * from {s} limit 1000001);

-- Datasette 3
select date(hour) as value, count(*) as count from (select * from {s}) where date(hour) is not null group by
date(hour) order by count desc, value limit 31;

-- Datasette 4
select pool, category, chip_us from {s} where "pool" = 'v4-zürich' and "chip_us" > 1000000 order by chip_us desc, job,
hour, category limit 101;

-- Datasette 5
select distinct phase from (select * from {s}) where phase is not null order by phase limit 31;

-- Datasette 6
select sum(chip_us) from {s} where "chip_us" >= 5 and "category" not in ('idle', 'down');

-- Datasette 7
select count(*) from {s} where "cause" is not null and "cause" != '';

-- SQLAlchemy 1
SELECT anon_1.pool, anon_1.total FROM (SELECT t.pool AS pool, sum(t.chip_us) AS total FROM {s} AS t GROUP BY t.pool)
AS anon_1 WHERE anon_1.total > 0 ORDER BY anon_1.total DESC, anon_1.pool LIMIT 3 OFFSET 0;

-- SQLAlchemy 2
SELECT EXISTS (SELECT 1 FROM {s} AS t WHERE t.chip_us > 1000000) AS anon_1;

-- SQLAlchemy 3
SELECT t.category, sum(t.chip_us) AS s, sum(sum(t.chip_us)) OVER () AS total FROM {s} AS t GROUP BY t.category ORDER
BY t.category;

-- SQLAlchemy 4
SELECT t.job, t.attempt, count(*) AS n FROM {s} AS t WHERE t.job IS NOT NULL GROUP BY t.job, t.attempt ORDER BY n
DESC, t.job, t.attempt LIMIT 10;

-- SQLAlchemy 5
SELECT a.pool, count(*) AS n FROM {s} AS a LEFT OUTER JOIN (SELECT 'h100-us-west2' AS pool, 1 AS flag) AS b ON a.pool
= b.pool WHERE b.flag IS NULL GROUP BY a.pool ORDER BY a.pool;

-- SQLAlchemy 6
WITH ranked AS (SELECT pool, job, sum(chip_us) AS c FROM {s} WHERE job IS NOT NULL GROUP BY pool, job) SELECT pool,
job, c FROM (SELECT pool, job, c, row_number() OVER (PARTITION BY pool ORDER BY c DESC, job) AS place FROM ranked)
WHERE place = 1 ORDER BY pool;

-- SQLAlchemy 7
SELECT t.pool, t.chip_us FROM {s} AS t WHERE t.chip_us BETWEEN 1000000 AND 2000000 UNION ALL SELECT t.pool, t.chip_us
FROM {s} AS t WHERE t.chip_us < 0 ORDER BY 2, 1;

-- SQLAlchemy 8
SELECT sum(t.chip_us) FROM {s} AS t WHERE t.chip_us > (SELECT avg(u.chip_us) FROM {s} AS u);

-- SQLAlchemy 9
SELECT t.phase, t.model, sum(t.chip_us) AS c FROM {s} AS t WHERE t.phase LIKE 'tr%' AND t.model IS NOT NULL GROUP BY
t.phase, t.model ORDER BY c DESC;
