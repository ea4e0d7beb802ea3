const $ = id => document.getElementById(id);
const all = selector => [...document.querySelectorAll(selector)];
const form = $("dims");
const rowOf = ({target}) => target.closest("[data-row]").dataset.row;

form.oninput = ({target}) => {
	const name = rowOf({target});
	if (target.type === "range") set(name, slid(name, target));
	else set(name, target.value, target.dataset.dim && target);
};
form.onchange = () => late && paint(false);
let pulled;
form.onkeydown = form.onpointerdown = ({type}) => {
	pulled = type !== "keydown";
};
form.onclick = event => event.target.matches("button") && set(rowOf(event), "");
for (const type of ["focusin", "focusout"]) {
	form.addEventListener(type, event => {
		[focused, writing] = [rowOf(event), null];
		paintForm(state);
		paintFormula(state);
	});
}

/* Pulled, to the nearest that can be; by a key, to the next. */
function slid(name, range) {
	const [to, step] = [range.value, range.step].map(BigInt);
	if (isDoubled(name)) return String(2n ** to);
	const [now] = state.values.get(name) ?? ZERO;
	const ways = pulled ? [step, -step] : [to < now ? -step : step];
	return String(allowed(state, name, to, ways, state.problems.length) ?? to);
}

function paintForm({given, values, problems}) {
	const wrong = new Set(problems.flatMap(each => each.dims));
	for (const row of all("[data-row]")) {
		const name = row.dataset.row;
		const [range, text, rules = {}] = row.querySelectorAll("input, select");
		const [value, typed] = [values.get(name), given[name] ?? ""];
		row.classList.toggle("changed", has(given, name));
		text.ariaInvalid = wrong.has(name);
		const isOpen = document.activeElement === text;
		if (text !== writing) text.value = (isOpen && typed) || (value ? exact(value) : typed);
		if (value) range.value = isDoubled(name) ? Math.log2(float(value)) : exact(value);
		rules.value = typed;
		if (rules.selectedIndex < 0) rules.value = "typed";
	}
}
