const COPIES = {LaTeX, command, "config.json": configuration, link: () => location.href};

function LaTeX(state) {
	const {terms} = lineAt(state) || stop("no formula here");
	const sum = terms.map(({tree}) => letters(LATEX, tree)).join(" + ");
	const text = sum.replaceAll("+ -", "- ").replace(/\\frac(?={\d+}{\d+})/g, "\\tfrac");
	return `P = ${text} = ${show(state.answers.P).replaceAll(",", "{,}")}`;
}

function command(state) {
	const {words, given} = DATA.command ?? stop("no command asks for this");
	const all = {...given, ...state.given};
	const isRun = !state.problems[0] && RUNNING.some(name => has(all, name));
	const written = Object.entries(all).map(each => `'${each.join("=")}'`);
	return ["symparam", isRun ? "cost" : "count", words, ...written].join(" ");
}

function configuration(state) {
	const found = structuredClone((state.answers.P && DATA.config) || stop("no config.json here"));
	const names = Object.keys(state.given).filter(name => !RUNNING.includes(name));
	const lost = names.find(name => !DIMS[name].key);
	if (lost) stop(`there is no key for ${lost}`);
	for (const name of NAMES.filter(name => names[0] && DIMS[name].key)) {
		const [key, part] = DIMS[name].key.split(".").reverse();
		(part ? found[part] : found)[key] = Number(state.values.get(name)[0]);
	}
	return `${JSON.stringify(found, null, 2)}\n`;
}

$("copies").onclick = ({target: {dataset}}) => {
	const box = $("copied");
	if (!dataset.copy) return;
	box.hidden = false;
	try {
		box.value = COPIES[dataset.copy](state);
		box.select();
		say(document.execCommand("copy") ? `${dataset.copy} copied` : "ready to be copied");
	} catch ({message}) {
		say((box.value = message));
	}
};
