-- chips_for_demand.sql - chips needed for a demand at today's MPG.
--
--@ table mpg_chips_for_demand - chips needed for a demand at today's MPG
--@ argument ideal_chips :ideal_chips REAL above 0: the demand, in chips that would do it at the roofline without a pause; what is done today unless given
--@ argument rg :rg REAL above 0 to 1: a runtime goodput to reckon with instead of today's
--@ argument pg :pg REAL above 0: a program goodput to reckon with instead of today's
--@ column chip TEXT - generation; a demand for one is in chips of that generation
--@ column chips REAL chips installed, on average over the ledger
--@ column MPG_lower REAL ratio today: ideal / capacity
--@ column MPG REAL ratio to reckon with
--@ column demand_chips REAL chips at the roofline
--@ column needed_chips REAL chips demand / MPG
--@ column missing_chips REAL chips needed - installed; negative: to spare
--@ column with_queue_chips REAL chips needed if today's queued demand is met too, at the same MPG of what is held
-- Basis: installed capacity. The queued demand of jobs that never got a chip is for no generation, and not in it (queue_delay.sql has it).
WITH ledger_time AS ( -- what waits does not list of the capacity, attempts held
  SELECT max(end_us) - min(start_us) AS length_us
  FROM (SELECT start_us, end_us FROM waits WHERE category <> 'queued' UNION ALL SELECT start_us, end_us FROM attempts)
),
sums AS (
  SELECT chip, sum(capacity_us) AS c, sum(allocated_us + partial_us) AS h, sum(allocated_us - untraced_us) AS t, sum(productive_us) AS g,
         sum(productive_us - unrated_us) AS r, sum(ideal_us) AS i, sum(queued_us) AS q
  FROM cells WHERE chip IS NOT NULL GROUP BY chip
),
changed AS ( -- how many times today's demand and today's MPG: exactly 1 if nothing else is given
  SELECT *, 1.0 * c / length_us AS chips, 1.0 * i / nullif(c, 0) AS MPG_lower,
         coalesce(1.0 * :ideal_chips / nullif(1.0 * i / length_us, 0), 1) AS more_demand,
         coalesce(:rg / (1.0 * g / nullif(t, 0)), 1) * coalesce(:pg / (1.0 * i / nullif(r, 0)), 1) AS more_goodput
  FROM sums, ledger_time
),
reckoned AS (SELECT *, iif(i > 0 AND c > 0, chips * more_demand / nullif(more_goodput, 0), NULL) AS needed_chips FROM changed)
SELECT chip, chips, MPG_lower, MPG_lower * more_goodput AS MPG, coalesce(1.0 * :ideal_chips, 1.0 * i / length_us) AS demand_chips,
       needed_chips, needed_chips - chips AS missing_chips, needed_chips * (1.0 * (h + q) / nullif(h, 0)) AS with_queue_chips
FROM reckoned
ORDER BY chip;
