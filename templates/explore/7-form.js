/* The numbers that can be changed: a row for each dim. */
const $ = id => document.getElementById(id);
const all = selector => [...document.querySelectorAll(selector)];
const form = $("dims");
const rowOf = ({target}) => target.closest("[data-row]").dataset.row;

form.oninput = ({target}) => {
	const name = rowOf({target});
	if (target.type === "range") set(name, slid(name, target));
	else set(name, target.value, target.dataset.dim && target);
};
form.onclick = event => event.target.type === "button" && set(rowOf(event), "");
for (const type of ["focusin", "focusout"]) {
	form.addEventListener(type, event => {
		[focused, writing] = [rowOf(event), null];
		paintForm(state);
		paintFormula(state);
	});
}

/* A slider that is pulled goes to the nearest number that can be; a key, on to the next. */
function slid(name, range) {
	const [to, step] = [range.value, DIMS[name].step].map(BigInt);
	if (isDoubled(name)) return String(2n ** to);
	const [now] = state.values.get(name) ?? ZERO;
	const ways = range.matches(":active") ? [step, -step] : [to < now ? -step : step];
	return String(allowed(state, name, to, ways, state.problems.length) ?? to);
}

function paintForm({given, values, problems}) {
	const wrong = new Set(problems.flatMap(each => each.dims));
	for (const row of all("[data-row]")) {
		const name = row.dataset.row;
		const [value, typed] = [values.get(name), given[name] ?? ""];
		const [text, range] = [row.querySelector("[data-dim]"), row.querySelector("[type=range]")];
		row.classList.toggle("changed", has(given, name));
		text.setAttribute("aria-invalid", wrong.has(name));
		const isOpen = document.activeElement === text;
		if (text !== writing) text.value = (isOpen && typed) || (value ? exact(value) : typed);
		if (value) range.value = isDoubled(name) ? Math.log2(float(value)) : exact(value);
		const rules = row.querySelector("select") ?? {};
		rules.value = typed;
		if (rules.selectedIndex < 0) rules.value = "typed";
	}
}
