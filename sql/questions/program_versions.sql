-- program_versions.sql - program goodput of the costliest programs, before and after a compiler version.
--
--@ table mpg_program_versions - program goodput of the costliest programs, before and after a compiler version
--@ argument label :label TEXT the label of jobs that holds the version; 'compiler' unless given
--@ argument before :before TEXT required unless since: the version before
--@ argument after :after TEXT required unless since: the version after
--@ argument since :since TIME instead of the label: the day (of UTC) from which the new version ran
--@ argument top :top BIGINT from 0: how many programs; 10 unless given
--@ column program TEXT - that ran on both sides, by productive chip-hours
--@ column chip_hours_before REAL chip-hours productive
--@ column chip_hours_after REAL chip-hours
--@ column PG_before REAL ratio ideal / (productive - unrated)
--@ column PG_after REAL ratio
--@ column change REAL points percentage points of PG
--@ column saved_chip_hours REAL chip-hours that the work of the second side would have taken more, at the PG of the first
-- Basis: productive - unrated.
WITH labelled AS (
  SELECT job, CAST(json_extract(CASE WHEN json_valid(labels) THEN labels END,
                                '$."' || coalesce(:label, 'compiler') || '"') AS TEXT) AS version FROM jobs
),
sided AS (
  SELECT p.program, CASE WHEN :since IS NOT NULL THEN +p.day >= substr(:since, 1, 10)
                         WHEN j.version = :before THEN 0
                         WHEN j.version = :after THEN 1 END AS is_after,
         p.productive_us, p.productive_us - p.unrated_us AS rated_us, p.ideal_us
  FROM program_ledger AS p LEFT JOIN labelled AS j ON j.job = p.job
),
sums AS (
  SELECT program, sum(iif(is_after, 0, productive_us)) AS bg, sum(iif(is_after, 0, rated_us)) AS br, sum(iif(is_after, 0, ideal_us)) AS bi,
         sum(iif(is_after, productive_us, 0)) AS xg, sum(iif(is_after, rated_us, 0)) AS xr, sum(iif(is_after, ideal_us, 0)) AS xi
  FROM sided WHERE is_after IS NOT NULL GROUP BY program
)
SELECT program, bg / 3.6e9 AS chip_hours_before, xg / 3.6e9 AS chip_hours_after, 1.0 * bi / br AS PG_before, 1.0 * xi / xr AS PG_after,
       100 * (1.0 * xi / xr - 1.0 * bi / br) AS change, (1.0 * xi * br / nullif(bi, 0) - xr) / 3.6e9 AS saved_chip_hours
FROM sums
WHERE br > 0 AND xr > 0
ORDER BY bg + xg DESC, program
LIMIT coalesce(:top, 10);
