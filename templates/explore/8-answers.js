const BY_NAME = Object.fromEntries(QUANTITIES.map(each => [each.name, each]));
const short = (v, name) => (has(BY_NAME, name) ? brief(v, BY_NAME[name].unit) : show(v));
const columnsOf = each => each.closest("[data-columns]").dataset.columns.split(" ");
const changed = (name, v) => (v === null ? state : counted({...state.given, [name]: String(v)}));
const make = (tag, props) => Object.assign(document.createElement(tag), props);

/* Equal text is not laid out again. */
const put = (place, text) => place.textContent === text || (place.textContent = text);
function fill(row, texts) {
	texts.forEach((text, i) => put(row.cells[i + 1], text));
	row.hidden = !texts.some(Boolean);
}

function paintTotals({values, answers}) {
	for (const out of all("[data-quantity]")) {
		const name = out.dataset.quantity;
		const [v, before] = [answers[name], kept.answers[name]];
		out.dataset.value = v ? exact(v) : "";
		if (late && !v) continue;
		put(out, !v ? "–" : name === "P" ? show(v) : short(v, name));
		const moved = v && before && !isSame(v, before) ? relative(v, before) : "";
		put(out.nextElementSibling.lastChild, moved);
	}
	const run = answers.kv_cache && $("run");
	if (run) put(run, told(run.dataset.names.split(" "), values));
	document.body.className = late ? "late" : answers.P ? "" : "refused";
}

function paintProblems(state) {
	const items = state.problems.map(problem => {
		const item = make("p", {textContent: `${problem.text} `});
		for (const [name, v] of mends(state, problem)) {
			const textContent = v === "" ? `${name} as published` : `${name} = ${group(v)}`;
			item.append(make("button", {textContent, onclick: () => set(name, String(v))}));
		}
		return item;
	});
	$("broken").replaceChildren(...items);
}

function paintShares({values, answers}) {
	for (const part of answers.P ? all("[data-parts]") : []) {
		const rows = RegExp(`^(${part.dataset.parts})$`);
		const [[v, shown, share], ...others] = columnsOf(part).map(name => {
			const own = BY_NAME[name].shares.filter(({row}) => rows.test(row));
			const v = answers[name] ? total(own, values) : ZERO;
			return [v, v[0] ? short(v, name) : "", percent(v, answers[name] ?? [1n, 1n])];
		});
		if (part.cells) fill(part, [shown, share, ...others.map(each => each[1])]);
		else part.style.flexGrow = float(v);
	}
}

/* The line that holds here. */
const termOf = ([text, latex, matrices]) => ({...read(text), latex, matrices});
const LINES = DATA.lines.map(([under, places]) => ({
	under,
	sides: sidesOf(under.map(text => text.split(/ (=) /))),
	terms: places.map(i => termOf(DATA.terms[i])),
}));
const lineAt = ({values, answers}) =>
	answers.P && LINES.findLast(({sides}) => holds(sides, values));

function itemOf(tree) {
	const pieces = letters(tree).split("|");
	const innerHTML = pieces.map(piece => piece && `<math>${piece}</math>`).join(" ");
	return make("li", {innerHTML: `${innerHTML}<small></small>`});
}

function paintFormula(state) {
	const [line, to] = [lineAt(state), nearest(state, focused)];
	const later = changed(focused, to);
	const after = later.answers.P ? later : state;
	const items = (line?.terms ?? []).map(term => {
		const now = term.value(at(state.values));
		const moved = minus(term.value(at(after.values)), now);
		const item = (term.item ??= itemOf(term.tree));
		const told = [brief(now, "parameters"), percent(now, state.answers.P), term.matrices];
		if (moved[0]) told.push(signed(moved, show));
		item.className = moved[0] ? "moves" : "";
		item.dataset.term = exact(now);
		put(item.lastChild, told.join(" · "));
		return item;
	});
	const list = $("terms");
	if (list.line !== line) list.replaceChildren(...items);
	list.line = line;
	const held = line?.under[0] ? ` while ${line.under.join(" and ")}` : "";
	$("hint").textContent = `P is the sum of these${held}. Marked: what ${focused} = ${to} changes.`;
}

/* A table's first row, once for each name. */
function repeat(id, names) {
	const [row] = $(id).tBodies[0].rows;
	const rows = names.map(name => Object.assign(row.cloneNode(true), {name}));
	row.replaceWith(...rows);
	return rows;
}

const STEPS = repeat("steps", NAMES);
function paintSteps(state) {
	for (const row of STEPS) {
		const to = nearest(state, row.name);
		const {answers} = changed(row.name, to);
		row.cells[0].textContent = `${row.name} = ${to}`;
		const texts = columnsOf(row).map(name => {
			const [v, now] = [answers[name], state.answers[name]];
			return !v || !now || isSame(v, now) ? "" : signed(minus(v, now), x => short(x, name));
		});
		fill(row, texts);
	}
}

const TWO = repeat("two", [...NAMES, ...columnsOf($("steps"))]);
function paintTwo(now) {
	for (const row of TWO) {
		const write = v => (v ? short(v, row.name) : "–");
		const [a, b] = [kept, now].map(each => each.answers[row.name] ?? each.values.get(row.name));
		const gap = () => (a && b ? `${signed(minus(b, a), write)} (${relative(b, a)})` : "");
		row.cells[0].textContent = BY_NAME[row.name]?.label ?? row.name;
		fill(row, a === b || (a && b && isSame(a, b)) ? ["", "", ""] : [write(a), write(b), gap()]);
	}
}
