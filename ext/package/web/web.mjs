// web.mjs - the page that takes files, shows what they are, and answers SQL about them. Nothing leaves the machine.
{
  const TRACES = "/traces";
  const EXAMPLES = [
    ["Goodput by pool and phase", `SELECT pool, phase, round(scheduling_goodput(category, chip_us), 3) AS SG, round(runtime_goodput(category, chip_us), 3) AS RG,\n       round(program_goodput(category, chip_us), 3) AS PG, round(mpg_lower(category, chip_us), 3) AS MPG_at_least\nFROM trace_rollup('/traces')\nWHERE category <> 'queued'\nGROUP BY pool, phase;`],
    ["Where the time goes", `SELECT category, cause, round(sum(chip_us) / 3.6e9, 1) AS chip_hours\nFROM trace_rollup('/traces')\nGROUP BY category, cause ORDER BY chip_hours DESC;`],
    ["Goodput by day", `SELECT bucket, round(mpg_lower(category, chip_us), 3) AS MPG_at_least\nFROM trace_rollup('/traces', '1 day')\nWHERE category <> 'queued' GROUP BY bucket;`],
    ["The jobs that lost most", `SELECT job, owner, round(sum(chip_us) FILTER (WHERE category NOT IN ('ideal', 'untraced', 'unrated')) / 3.6e9, 1) AS lost_chip_hours\nFROM trace_rollup('/traces')\nWHERE job IS NOT NULL AND category <> 'queued' GROUP BY job ORDER BY 3 DESC LIMIT 20;`],
    ["What is odd or left out", `SELECT sum(chip_us) IS NOT NULL AS was_read FROM trace_rollup('/traces');\nSELECT severity, kind, count, source, line, detail FROM mpg_issues;`],
    ["Device activity of profiles", `SELECT class, count(*) AS activities, sum(end_ns - start_ns) / 1e6 AS ms\nFROM trace_device_activity('/traces') GROUP BY class;`],
  ];
  const SOURCES = "SELECT substr(file, 9) AS file, format, feeds, missing, inferred, reason FROM trace_sources('/traces')";
  const one = (id) => document.getElementById(id);
  let worker, next = 0, files = [];
  const waiting = new Map();

  function start() {
    worker = new Worker(URL.createObjectURL(new Blob([one("program").textContent], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => {
      one("memory").textContent = `memory: ${(data.bytes / 1e6).toFixed(0)} MB`;
      const { done, fail, began } = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) fail(new Error(data.error));
      else done({ ...data, ms: performance.now() - began });
    };
    worker.onerror = (event) => stop(event.message);
  }

  function send(message) {
    return new Promise((done, fail) => {
      waiting.set(++next, { done, fail, began: performance.now() });
      worker.postMessage({ id: next, ...message });
    });
  }
  const ask = (sql, most = 1000) => send({ what: "ask", sql, most });

  // Ends what runs, and begins anew with the same files.
  async function stop(why = "stopped") {
    worker.terminate();
    for (const { fail } of waiting.values()) fail(new Error(why));
    waiting.clear();
    start();
    if (files.length) await send({ what: "files", files });
  }

  function tableOf({ columns, rows, more }) {
    const cell = (value) => (value === null ? '<td class="text quiet">NULL</td>' : typeof value === "number" ? `<td>${value}</td>` : `<td class="text">${escape(value)}</td>`);
    return `<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table><thead><tr>${columns.map((name) => `<th class="text" scope="col">${escape(name)}</th>`).join("")}</tr></thead>` +
      `<tbody>${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("")}</tbody></table></div>${more ? `<p class="quiet">The first ${rows.length} rows.</p>` : ""}`;
  }

  // Runs `work`, and shows what it takes, or its error, in the element `into`.
  async function shown(into, work) {
    const place = one(into), began = performance.now();
    document.body.dataset.state = "working";
    one("stop").disabled = false;
    place.innerHTML = '<p class="quiet">Working …</p>';
    try {
      const html = await work();
      if (html !== undefined) place.innerHTML = html;
    } catch (error) {
      place.innerHTML = `<p class="error" role="alert">${escape(error.message)}</p>`;
    }
    one("took").textContent = `${((performance.now() - began) / 1000).toFixed(2)} s`;
    one("stop").disabled = true;
    document.body.dataset.state = "ready";
  }

  async function take(found) {
    files = found.filter(({ file }) => file.size > 0);
    one("live").hidden = true;
    one("rows").replaceChildren();
    one("given").textContent = `${files.length} file${files.length === 1 ? "" : "s"}, ${(files.reduce((sum, { file }) => sum + file.size, 0) / 1e6).toFixed(1)} MB, at ${TRACES}`;
    one("after").hidden = files.length === 0;
    if (files.length) await shown("sources", async () => {
      await send({ what: "files", files });
      return tableOf(await ask(SOURCES));
    });
  }

  // The files of what was dropped, folders with what is below them.
  async function dropped(items) {
    const found = [];
    async function add(entry, folder) {
      if (entry.isFile) found.push({ name: folder + entry.name, file: await new Promise((done, fail) => entry.file(done, fail)) });
      else {
        const reader = entry.createReader();
        for (;;) {
          const some = await new Promise((done, fail) => reader.readEntries(done, fail));
          if (!some.length) return;
          for (const each of some) await add(each, `${folder}${entry.name}/`);
        }
      }
    }
    for (const entry of [...items].map((item) => item.webkitGetAsEntry()).filter(Boolean)) await add(entry, "");
    return found;
  }

  const runSql = () => shown("rows", async () => tableOf(await ask(one("sql").value)));
  const chosen = (input) => [...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file }));

  start();
  one("examples").innerHTML = EXAMPLES.map(([name], i) => `<option value="${i}">${escape(name)}</option>`).join("");
  one("sql").value = EXAMPLES[0][1];
  one("examples").addEventListener("change", ({ target }) => { one("sql").value = EXAMPLES[target.value][1]; });
  one("run").addEventListener("click", runSql);
  one("stop").addEventListener("click", () => stop());
  one("sql").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) runSql(); });
  one("report").addEventListener("click", () => shown("drawing", async () => { await send({ what: "files", files }); await drawReport(ask, TRACES, one("live")); return ""; }));
  for (const id of ["files", "folder"]) one(id).addEventListener("change", ({ target }) => take(chosen(target)));
  one("example").addEventListener("click", () => take(JSON.parse(one("fixtures").textContent).map(({ name, text }) => ({ name, file: new File([text], name) }))));
  addEventListener("dragover", (event) => { event.preventDefault(); one("drop").classList.add("over"); });
  addEventListener("dragleave", () => one("drop").classList.remove("over"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    one("drop").classList.remove("over");
    await take(await dropped(event.dataTransfer.items));
  });
  globalThis.mpgWeb = { ask, take };
  document.body.dataset.state = "ready";
}
