const BY_NAME = Object.fromEntries(QUANTITIES.map(each => [each.name, each]));
const short = (v, name) => (has(BY_NAME, name) ? brief(v, BY_NAME[name].unit) : show(v));
const gap = (name, v, w) =>
	v && w && !isSame(v, w) ? signed(minus(v, w), x => short(x, name)) : "";
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
		put(out.nextElementSibling.lastChild, gap(name, v, before) && relative(v, before));
	}
	for (const run of all("[data-run]")) put(run, told(run.dataset.run.split(" "), values));
	document.body.className = late ? "late" : answers.P ? "" : "refused";
}

function paintProblems(state) {
	const items = state.problems.map(problem => {
		const item = make("p", {textContent: `${problem.text} `});
		for (const [name, v] of mends(state, problem)) {
			const textContent = v === "" ? `${name} as published` : `${name} = ${decimal(v)}`;
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
const termOf = ([text, matrices]) => ({...read(text), matrices});
const LINES = DATA.lines.map(([under, places]) => ({
	under,
	sides: under.map(sidesOf),
	terms: places.map(i => termOf(DATA.terms[i])),
}));
const lineAt = ({values, answers}) =>
	answers.P && LINES.findLast(({sides}) => holds(sides, values));

function itemOf(tree) {
	const pieces = letters(MATHML, tree).split("|");
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

/* A table's first row, for each of these. */
function repeat(id, these) {
	const [row] = $(id).tBodies[0].rows;
	const rows = these.map(own => Object.assign(row.cloneNode(true), {own}));
	row.replaceWith(...rows);
	return rows;
}

/* Up, and down. */
const twice = NAMES.flatMap(name => [name, name]);
const STEPS = repeat("steps", twice);
function paintSteps(state) {
	STEPS.forEach((row, i) => {
		const to = next(state, row.own, i % 2 ? -1n : 1n);
		const {answers} = changed(row.own, to);
		row.cells[0].textContent = `${row.own} = ${to}`;
		const texts = columnsOf(row).map(each => gap(each, answers[each], state.answers[each]));
		fill(row, texts);
	});
}

const TWO = repeat("two", [...NAMES, ...columnsOf($("steps"))]);
function paintTwo(now) {
	for (const row of TWO) {
		const {own} = row;
		const write = v => (v ? short(v, own) : "–");
		const [a, b] = [kept, now].map(each => each.answers[own] ?? each.values.get(own));
		const moved = gap(own, b, a);
		const more = moved && `${moved} (${relative(b, a)})`;
		row.cells[0].textContent = BY_NAME[own]?.label ?? own;
		fill(row, moved || !a !== !b ? [write(a), write(b), more] : []);
	}
}
