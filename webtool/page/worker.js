// symparam in Pyodide: parts are loaded as they are needed, commands answered one after the other.
import {loadPyodide} from "./pyodide.mjs";

const place = new URL("./", import.meta.url).href;
const say = (kind, more) => self.postMessage({kind, ...more});
/** The bytes of each file that is fetched, and of how many it has come. */
const sizes = JSON.parse(`@SIZES@`);
const come = {};

/** What fetches, here and in Pyodide: a copy of each answer is counted as it comes. */
const fetching = self.fetch;
self.fetch = async (...asked) => {
	const response = await fetching(...asked);
	const name = response.url.slice(place.length);
	if (response.ok && name in sizes)
		response.clone().body.pipeTo(
			new WritableStream({
				write(bytes) {
					come[name] = (come[name] ?? 0) + bytes.length;
					say("loaded", {share: total(come) / total(sizes)});
				},
			}),
		);
	return response;
};

const total = numbers => Object.values(numbers).reduce((sum, each) => sum + each, 0);

/** A part's bytes, as they are behind the compression of the file (and, maybe, of the server). */
async function fetched(name) {
	const response = await fetch(place + name);
	if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
	const bytes = new Uint8Array(await response.arrayBuffer());
	if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
	const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** Put the files of a tar (ustar: POSIX.1-1988) below a folder. */
function unpack(python, tar, folder) {
	const text = (from, length) =>
		new TextDecoder().decode(tar.subarray(from, from + length)).replace(/\0.*$/s, "");
	const made = new Set();
	for (let at = 0; tar[at];) {
		const prefix = text(at + 345, 155);
		const path = `${folder}/${prefix ? prefix + "/" : ""}${text(at, 100)}`;
		const size = parseInt(text(at + 124, 12), 8);
		const parent = path.slice(0, path.lastIndexOf("/"));
		if (!made.has(parent)) python.FS.mkdirTree(parent);
		made.add(parent);
		python.FS.writeFile(path, tar.subarray(at + 512, at + 512 + size), {canOwn: true});
		at += 512 + 512 * Math.ceil(size / 512);
	}
}

/** Python with what counts; what derives is fetched meanwhile. */
async function start() {
	say("step", {text: "Loading Python"});
	const counting = fetched("count.tar.gz");
	const python = await loadPyodide({indexURL: place});
	say("step", {text: "Loading symparam"});
	unpack(python, await counting, "/symparam");
	python.runPython("import sys; sys.path.insert(0, '/symparam')");
	return {python, commands: python.pyimport("commands")};
}

let started, derivers;

/** What derives, unpacked once. */
async function deriving(python) {
	derivers ??= fetched("derive.tar.gz").then(tar => {
		unpack(python, tar, "/symparam");
		python.runPython("import importlib; importlib.invalidate_caches()");
	});
	await derivers;
}

/** Whether dims have no numbers, and nothing else is wrong. */
const isOpen = said => said.code === 2 && said.err.includes(" needs a number for ");

/**
 * Answer commands, in their order; the first that the others rest on and that fails is the last,
 * unless numbers alone lack, which a formula does without.
 */
async function answer({config, asked}) {
	started ??= start();
	const {python, commands} = await started;
	commands.begin(config);
	let open = false;
	for (const {name, words, part, needed, numbers, text} of asked) {
		if (open && numbers) continue;
		if (part === "derive") {
			say("step", {name, text: "Loading SymPy"});
			await deriving(python);
		}
		say("step", {name, text});
		let said = JSON.parse(commands.answer(JSON.stringify(words)));
		if (said.missing && !derivers) {
			await deriving(python);
			said = JSON.parse(commands.answer(JSON.stringify(words)));
		}
		if (needed) open = isOpen(said);
		say("answer", {name, said, open: needed && open});
		if (needed && said.code === 2 && !open) break;
	}
	say("done");
}

self.onmessage = ({data}) => {
	if (data === "start") started ??= start();
	else answer(data).catch(error => say("failed", {text: String(error.message ?? error)}));
};
