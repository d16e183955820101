// statements.mjs - the SQL of each figure of the page, with what is chosen: it runs on the file that the report was made of.

import { Cells, FILTERS } from "./cells.mjs";

const SUMS = ["capacity", "allocated", "partial", "untraced", "productive", "unrated", "ideal", "queued"].map((name) => `sum(${name}_us) AS ${name}_us`).join(", ");
const text = (value) => `'${String(value).replaceAll("'", "''")}'`;

// `within` is what bounds the report as a whole.
export function where(filter, within = {}) {
  const terms = Cells.isOfJobs(filter) ? ["job IS NOT NULL"] : [];
  for (const name of FILTERS) {
    if (filter[name] !== undefined) terms.push(filter[name] === null ? `${name} IS NULL` : `${name} = ${text(filter[name])}`);
  }
  const since = [within.since, filter.since].filter(Boolean).sort().pop(), until = [within.until, filter.until].filter(Boolean).sort()[0];
  if (since) terms.push(`+hour >= ${text(since)}`);
  if (until) terms.push(`+hour < ${text(until)}`);
  return terms;
}

// name: the figure. told: {filter, within, segment, rows, columns, bucket, cut, top, rank, job, trace}
export function statement(name, told) {
  const terms = where(told.filter, told.within), also = (...more) => { const all = [...terms, ...more]; return all.length ? `\nWHERE ${all.join(" AND ")}` : ""; };
  const ratios = (all) => `\n  1.0 * sum(allocated_us) / nullif(${all}, 0) AS SG, 1.0 * sum(productive_us) / nullif(sum(allocated_us) - sum(untraced_us), 0) AS RG,\n` +
    `  1.0 * sum(ideal_us) / nullif(sum(productive_us) - sum(unrated_us), 0) AS PG,\n` +
    `  CASE WHEN sum(untraced_us) = 0 AND sum(unrated_us) = 0 THEN 1.0 * sum(ideal_us) / nullif(${all}, 0) END AS MPG,\n  1.0 * sum(ideal_us) / nullif(${all}, 0) AS MPG_lower`;
  const all = Cells.isOfJobs(told.filter) ? "sum(allocated_us + partial_us)" : "sum(capacity_us)", held = "sum(allocated_us + partial_us)";
  switch (name) {
    case "cards": return `SELECT ${SUMS},${ratios(all)}\nFROM cells${also()};`;
    case "segment": return `SELECT ${told.segment}, ${SUMS},${ratios(["pool", "chip"].includes(told.segment) ? all : held)}\nFROM cells${["pool", "chip"].includes(told.segment) || Cells.isOfJobs(told.filter) ? also() : also("job IS NOT NULL")}\nGROUP BY ${told.segment};`;
    case "waterfall": return `SELECT category, sum(chip_us) AS chip_us\nFROM cells${also("category <> 'queued'")}\nGROUP BY category;`;
    case "losses": return `SELECT category, cause, sum(chip_us) AS chip_us\nFROM cells${also("category NOT IN ('ideal', 'queued')")}\nGROUP BY category, cause;`;
    case "trend": return `SELECT ${told.bucket} AS bucket, ${SUMS},${ratios(all)}\nFROM cells${also()}\nGROUP BY bucket ORDER BY bucket;`;
    case "change": return `SELECT +hour >= ${text(told.cut)} AS is_after, category, sum(chip_us) AS chip_us\nFROM cells${also("category <> 'queued'")}\nGROUP BY is_after, category;`;
    case "heat": return `SELECT ${told.rows} AS a, ${told.columns} AS b, ${SUMS},${ratios(held)}\nFROM cells${Cells.isOfJobs(told.filter) ? also() : also("job IS NOT NULL")}\nGROUP BY 1, 2;`;
    case "jobs": return `SELECT job, max(name) AS name, ${held} AS held_us,\n  ${held} - sum(ideal_us) - sum(untraced_us) - sum(unrated_us) AS lost_us, sum(partial_us) AS partial_us,\n` +
      `  sum(iif(category = 'inefficiency', chip_us, 0)) AS inefficiency_us${told.measure ? `, sum(iif(${told.measure}, chip_us, 0)) AS measure_us` : ""}\nFROM cells${Cells.isOfJobs(told.filter) ? also() : also("job IS NOT NULL")}\n` +
      `GROUP BY job ORDER BY ${told.measure ? "measure_us" : "lost_us"} DESC, job LIMIT ${told.top};`;
    case "quality": return `SELECT pool, sum(allocated_us) AS allocated_us, sum(untraced_us) AS untraced_us, sum(productive_us) AS productive_us, sum(unrated_us) AS unrated_us,\n` +
      `  sum(iif(category = 'unknown', chip_us, 0)) AS unknown_us, sum(iif(category = 'pending', chip_us, 0)) AS pending_us\nFROM cells${also()}\nGROUP BY pool;`;
    default: throw new Error(`no statement for ${name}`);
  }
}

// The condition of what is measured in place of all losses.
export function measured({ category, cause }) {
  if (category === undefined) return null;
  return `category = ${text(category)}` + (cause === undefined ? "" : cause === null ? " AND cause IS NULL" : ` AND cause = ${text(cause)}`);
}
