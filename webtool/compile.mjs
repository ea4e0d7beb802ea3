// Compiles modules with Pyodide's own Python: node compile.mjs PYODIDE FOLDER
import fs from "node:fs";
import path from "node:path";

const [pyodide, folder] = process.argv.slice(2);
const {loadPyodide} = await import(path.join(pyodide, "pyodide.mjs"));
const python = await loadPyodide({indexURL: pyodide + "/"});
const started = python.runPython(`
import json, sys
json.dumps([name for name, module in sys.modules.items() if getattr(module, "__file__", None)])`);
fs.writeFileSync(path.join(folder, "started.json"), started);
const compile = python.runPython(`
import importlib._bootstrap_external as external, warnings
warnings.simplefilter("ignore")
def compiled(source, path, level):
    code = compile(source.to_bytes(), path, "exec", dont_inherit=True, optimize=level)
    return external._code_to_hash_pyc(code, bytes(8), False)
compiled`);
const modules = JSON.parse(fs.readFileSync(path.join(folder, "modules.json"), "utf8"));
modules.forEach((module, number) => {
	const source = new Uint8Array(fs.readFileSync(path.join(folder, String(number))));
	const made = compile(source, module.path, module.level);
	fs.writeFileSync(path.join(folder, number + ".pyc"), made.toJs());
	made.destroy();
});
