// report.mjs - the report's page over the tables that mpg_build made: what sql/report/mpg-report packs, made in the browser.
// In the page its functions stand behind those of sql/report.

const MOST_CELLS = 200000;
const KEYS = ["pool", "chip", "job", "name", "phase", "framework", "runtime", "model", "size", "team", "owner", "category", "cause"];

// The number of each distinct list, in the order in which the lists first come.
function index() {
  const rows = [], numbers = new Map();
  return { rows, of: (row) => {
    const key = JSON.stringify(row);
    if (!numbers.has(key)) numbers.set(key, rows.push(row) - 1);
    return numbers.get(key);
  } };
}

// What the page draws of: `rows` are [time, those of KEYS, chip-microseconds], a number or a text of one.
function cellsOf(rows, head) {
  const who = index(), place = index(), what = index(), times = [...new Set(rows.map(([time]) => time))].sort();
  const at = new Map(times.map((time, i) => [time, i]));
  const found = rows.map(([time, pool, chip, job, name, phase, framework, runtime, model, size, team, owner, category, cause, us]) =>
    ({ who: who.of([job, name, phase, framework, runtime, model, size, team, owner, 0]), place: place.of([pool, chip]), what: what.of([category, cause]), time: at.get(time), us: BigInt(us) }));
  found.sort((a, b) => a.who - b.who || a.place - b.place || a.what - b.what || a.time - b.time);
  const column = (name) => Int32Array.from(found, (cell) => cell[name]);
  const columns = { who: column("who"), place: column("place"), what: column("what"), time: column("time"),
    high: Float64Array.from(found, ({ us }) => Number(us >> 24n)), low: Float64Array.from(found, ({ us }) => Number(us & 0xffffffn)) };
  return new Cells({ ...head, times, who: who.rows, place: place.rows, what: what.rows, cells: found.length }, columns);
}

// Builds the tables and draws the report into `root`. ask(sql, most) answers as the worker does, or fails.
async function drawReport(ask, path, root) {
  await ask(`SELECT mpg_build('${path.replaceAll("'", "''")}')`, 1);
  let grain = "hour", answer;
  for (grain of ["hour", "day", "week"]) {
    answer = await ask(`SELECT ${grain === "week" ? "date(hour, '-6 days', 'weekday 1') || ' 00:00:00'" : grain}, ${KEYS.join(", ")}, sum(chip_us) FROM ledger GROUP BY 1, ${KEYS.join(", ")}`, MOST_CELLS);
    if (!answer.more) break;
  }
  if (answer.more) throw new Error(`more than ${MOST_CELLS} cells by week: ask for less in SQL`);
  if (!answer.rows.length) throw new Error("the ledger is empty: the sources above say what is missing");
  const [[issues]] = (await ask("SELECT coalesce(sum(count), 0) FROM issues WHERE severity <> 'info'", 1)).rows;
  const times = [...new Set(answer.rows.map(([time]) => time))].sort();
  const head = { grain: grain === "week" ? "day" : grain, folded: 0, issues, cut: times[Math.floor(times.length / 2)], width: grain === "week" ? "week" : null, within: {}, top: 10,
    rows: "phase", columns: "size", by: "pool", timelines: { why: `Its intervals: SELECT * FROM trace_timeline('${path}', 'JOB').` }, targets: {}, prices: {}, currency: null };
  root.replaceChildren();
  root.hidden = false;
  return new Page(cellsOf(answer.rows, head), root);
}
