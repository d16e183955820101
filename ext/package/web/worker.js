// worker.js - the extension over the files that the page hands over, in a thread of its own.
//
// The page sends {id, what: "files", files: [{name, file}]} or {id, what: "ask", sql, most}; the answer is {id, ...} with what
// web_query gives, and `bytes`, the memory that the program takes. Files stay where they are: they are read as they are asked for.

/* global mpgModule, WASM */
const TRACES = "/traces";
let mpg;

async function begin() {
  mpg = await mpgModule({ wasmBinary: Uint8Array.from(atob(WASM), (letter) => letter.charCodeAt(0)) });
  mpg.FS.mkdir(TRACES);
  return JSON.parse(mpg.ccall("web_open", "string", [], []));
}
const ready = begin();
let mounted = false;

function take(files) {
  if (mounted) mpg.FS.unmount(TRACES);
  mpg.FS.mount(mpg.FS.filesystems.WORKERFS, { blobs: files.map(({ name, file }) => ({ name, data: file })) }, TRACES);
  mounted = true;
  return JSON.parse(mpg.ccall("web_open", "string", [], []));
}

const ask = ({ sql, most }) => JSON.parse(mpg.ccall("web_query", "string", ["string", "number"], [sql, most]));

onmessage = async ({ data }) => {
  let answer;
  try {
    const opened = await ready;
    answer = opened.error ? opened : data.what === "files" ? take(data.files) : ask(data);
  } catch (error) {
    answer = { error: `the program ended: ${error.message ?? error}` };
  }
  postMessage({ id: data.id, ...answer, bytes: mpg ? mpg.HEAPU8.length : 0 });
};
