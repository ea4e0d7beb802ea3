// The page: a form, a worker that answers it, and a place for each answer.
const one = id => document.getElementById(id);
const [form, state, cancel, refused] = ["form", "state", "cancel", "refused"].map(one);
let worker = null;
/** Shares of all bytes: what the worker has loaded, and what it had when it was asked. */
let loaded = 0;
let before = 0;

/** A worker of a blob has the page's own policy: it asks no other host either. */
function begin() {
	if (worker) return;
	const source = `import ${JSON.stringify(new URL("worker.js", location).href)};`;
	const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
	worker = new Worker(address, {type: "module"});
	worker.onmessage = ({data}) => heard[data.kind](data);
	worker.onerror = event => heard.failed({text: event.message || "the worker does not start"});
}

/** End what runs; the next question begins anew. */
function end() {
	if (worker) worker.onmessage = null;
	worker?.terminate();
	worker = null;
	loaded = 0;
}

// --- what is asked ---------------------------------------------------------------------------

/**
 * The commands that answer the form: words are the page's, a list of one is the user's line.
 * The first is needed by all; those with numbers are left out where dims have none.
 */
function commands({config, line, printed, other}) {
	const model = [...(config ? ["config.json"] : []), ...(line ? [[line]] : [])];
	const said = /[=<>]/.test(printed) ? printed : `P=${printed}`;
	const html = ["--format", "html"];
	return [
		{name: "count", words: ["count", ...model, ...html], text: "Counting", needed: true},
		{name: "json", words: ["count", ...model, "--json"], text: "Counting", numbers: true},
		{
			name: "formula",
			words: ["derive", ...model, "--detail", "appendix", ...html],
			text: "Deriving the formula",
		},
		{name: "derivation", words: ["derive", ...model, ...html], text: "Proving each step"},
		{name: "latex", words: ["derive", ...model, "--latex"], text: "Writing LaTeX"},
		printed && {
			name: "claim",
			words: ["check", ...model, "--claim", said, ...html],
			text: "Checking the printed size",
		},
		{
			name: "checks",
			words: ["align", ...model, ...html],
			text: "Checking heads and widths",
			numbers: true,
		},
		{
			name: "cost",
			words: ["cost", ...model, ...html],
			text: "Working out costs",
			numbers: true,
		},
		other && {
			name: "diff",
			words: ["diff", ...model, [other], ...html],
			text: "Comparing the two",
		},
	]
		.filter(Boolean)
		.map(each => ({part: ["count", "json"].includes(each.name) ? "count" : "derive", ...each}));
}

/** A command as one types it. */
const typed = words =>
	["symparam", ...words.map(word => (Array.isArray(word) ? word[0] : word))]
		.join(" ")
		.replace(/ --format html$/, "");

function ask() {
	const given = Object.fromEntries(
		["config", "line", "printed", "other"].map(name => [name, one(name).value.trim()]),
	);
	if (!given.config && !given.line) {
		refuse("Paste a config.json, or name a model or options.");
		one("line").focus();
		return;
	}
	if (document.body.dataset.busy) end();
	const asked = commands(given);
	for (const place of document.querySelectorAll("[data-answer]")) clear(place);
	for (const {name, words} of asked) {
		one(name).querySelector(".command code").textContent = typed(words);
		one(name).dataset.state = "waiting";
		shown(name).dataset.state = "waiting";
	}
	refuse("");
	begin();
	before = loaded;
	busy(true, "Starting");
	progress();
	worker.postMessage({config: given.config, asked});
}

// --- what is answered ------------------------------------------------------------------------

const shown = name => document.querySelector(`nav [href="#${name}"]`) ?? one(name);

function clear(place) {
	place.hidden = true;
	place.said = null;
	delete place.dataset.state;
	delete shown(place.id).dataset.state;
	place.querySelector(".out").replaceChildren();
	for (const each of place.querySelectorAll("[role=alert], .note")) each.textContent = "";
	const heading = place.querySelector("[data-titled]");
	if (heading) heading.textContent = heading.dataset.titled;
}

/** How much is done: of the answers, and, where something is still to be loaded, of its bytes. */
function progress() {
	const last = document.querySelectorAll("[data-answer][data-state]").length;
	const ended = document.querySelectorAll(
		"[data-answer]:is([data-state=done], [data-state=failed])",
	);
	const answered = last ? ended.length / last : 0;
	const loading = (loaded - before) / (1 - before);
	one("progress").value = before < 1 ? (loading + answered) / 2 : answered;
}

function busy(on, text) {
	if (on) document.body.dataset.busy = "yes";
	else delete document.body.dataset.busy;
	cancel.hidden = !on;
	one("progress").hidden = !on;
	one("count").setAttribute("aria-busy", on);
	state.textContent = text;
}

function refuse(text) {
	refused.textContent = text;
}

/** The pieces of a page that symparam wrote, without its title, their headings a level lower. */
function pieces(page) {
	const main = page.slice(page.indexOf("<main"), page.lastIndexOf("</main>"));
	const written = new DOMParser().parseFromString(main, "text/html").querySelector("main");
	const title = written.querySelector("h1");
	title.remove();
	for (const heading of written.querySelectorAll("h2, h3, h4")) {
		const lower = document.createElement(`h${Number(heading.tagName[1]) + 1}`);
		lower.append(...heading.childNodes);
		heading.replaceWith(lower);
	}
	return {title: title.textContent, nodes: [...written.childNodes]};
}

/** What stands before the last formula, and it: tables behind it are those of the count. */
function upToFormula(nodes) {
	const last = nodes.findLastIndex(node => node.querySelector?.("math[display=block]"));
	return last < 0 ? nodes : nodes.slice(0, last + 1);
}

function show(place, {out, err}) {
	const inner = place.querySelector(".out");
	if (out.startsWith("<!DOCTYPE html>")) {
		const {title, nodes} = pieces(out);
		const heading = place.querySelector("[data-titled]");
		if (heading) heading.textContent = title;
		inner.replaceChildren(...(place.id === "formula" ? upToFormula(nodes) : nodes));
	} else {
		const text = Object.assign(document.createElement("textarea"), {readOnly: true, value: out});
		text.rows = Math.min(16, out.split("\n").length);
		text.spellcheck = false;
		text.setAttribute("aria-label", place.querySelector("h2, summary").textContent);
		inner.replaceChildren(text);
	}
	place.querySelector(".note").textContent = err.trim();
}

const heard = {
	step({name, text}) {
		if (!document.body.dataset.busy) return; // it is loaded while one types
		state.textContent = `${text} …`;
		progress();
		if (name) shown(name).dataset.state = "working";
	},
	loaded({share}) {
		loaded = share;
		progress();
	},
	answer({name, said, open}) {
		const place = one(name);
		place.said = said;
		const failed = said.code === 2 || !said.out;
		place.dataset.state = shown(name).dataset.state = failed ? "failed" : "done";
		if (failed && name === "count" && !open) {
			for (const each of document.querySelectorAll("[data-state]")) delete each.dataset.state;
			return refuse(said.err.trim());
		}
		place.hidden = false;
		if (failed) place.querySelector("[role=alert]").textContent = said.err.trim();
		else show(place, said);
		if (open) place.querySelector(".note").textContent = "The formula needs no numbers:";
		const below = matchMedia("(max-width: 60rem)").matches;
		if (name === "count" && below) place.scrollIntoView(); // it is under the form there
	},
	done() {
		busy(false, "");
		for (const each of document.querySelectorAll("[data-state=waiting], [data-state=working]"))
			delete each.dataset.state;
		document.body.dataset.answered = Number(document.body.dataset.answered ?? 0) + 1;
	},
	failed({text}) {
		end();
		heard.done();
		refuse(`The page cannot go on: ${text}`);
	},
};

// --- what is pressed -------------------------------------------------------------------------

form.addEventListener("submit", event => {
	event.preventDefault();
	ask();
});
form.addEventListener("keydown", event => {
	if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
	event.preventDefault(); // a line sends the form by itself
	ask();
});
form.addEventListener(
	"input",
	() => {
		begin();
		worker.postMessage("start");
	},
	{once: true},
);
cancel.addEventListener("click", () => {
	end();
	heard.done();
	state.textContent = "Cancelled.";
});
for (const button of document.querySelectorAll("[data-example]"))
	button.addEventListener("click", () => {
		one("config").value = "";
		one("line").value = button.dataset.example;
		ask();
	});
for (const button of document.querySelectorAll("[data-copy]")) {
	const label = button.textContent;
	button.addEventListener("click", async () => {
		const text = one(button.dataset.copy).querySelector("textarea");
		text.select();
		try {
			await navigator.clipboard.writeText(text.value);
		} catch {
			document.execCommand("copy");
		}
		state.textContent = button.textContent = "Copied.";
		setTimeout(() => {
			button.textContent = label;
		}, 2000);
	});
}
