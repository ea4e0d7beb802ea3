const COPIES = {LaTeX, command, "config.json": configuration, link: () => location.href};
const byHand = ({given}) => Object.keys(given).filter(name => !RUNNING.includes(name));

function LaTeX(state) {
	const line = lineAt(state) || stop("no formula here");
	const sum = line.terms.map(({latex}) => latex).join(" + ");
	return `P = ${sum.replaceAll("+ -", "- ")} = ${show(state.answers.P).replaceAll(",", "{,}")}`;
}

function command(state) {
	const {words, given} = DATA.command ?? stop("no command asks for this");
	const written = Object.entries({...given, ...state.given}).map(
		([name, text]) => `'${name}=${text}'`,
	);
	return ["symparam count", words, ...written].join(" ");
}

function configuration(state) {
	const found = structuredClone((state.answers.P && DATA.config) || stop("no config.json here"));
	const names = byHand(state);
	const lost = names.find(name => !DIMS[name].key);
	if (lost) stop(`there is no key for ${lost}`);
	for (const name of names.length ? NAMES.filter(name => DIMS[name].key) : []) {
		const path = DIMS[name].key.split(".");
		const last = path.pop();
		path.reduce((inner, key) => inner[key], found)[last] = Number(state.values.get(name)[0]);
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
