let [writing, resting, late] = [null, 0];
let state = counted({});
let kept = state;
let focused = has(DIMS, "d_model") ? "d_model" : NAMES[0];
const past = [];
const PAINTERS = [paintForm, paintTotals, paintProblems, paintShares, paintFormula, paintTwo];
const say = text => ($("live").textContent = text);

function paint(wait) {
	late = wait;
	(late ? [paintTotals] : PAINTERS).forEach(each => each(state));
	writing?.scrollIntoView({block: "nearest"});
}

function go(given) {
	state = counted(given);
	history.replaceState(null, "", `#${new URLSearchParams(given)}`);
	$("undo").disabled = !past.length;
	paint(writing && state.problems[0] && !$("broken").firstChild);
	clearTimeout(resting);
	const rest = () => {
		if (late) paint(false);
		paintSteps(state);
		say($("totals").innerText);
	};
	resting = setTimeout(rest, late ? 900 : 99);
}

function move(given) {
	past.push(state.given);
	go(given);
}

/* Nothing: as published. */
function set(name, text, field = null) {
	const {[name]: before, ...given} = state.given;
	const own = DIMS[name].given && String(DIMS[name].value);
	const typed = text.trim();
	if (typed && typed !== own) given[name] = typed;
	[writing, focused] = [field, name];
	move(given);
}

function load() {
	const found = [...new URLSearchParams(location.hash.slice(1))];
	go(Object.fromEntries(found.filter(([name, text]) => has(DIMS, name) && text)));
}

$("undo").onclick = () => go(past.pop());
$("published").onclick = () => move({});
$("keep").onclick = () => {
	kept = state;
	go(state.given);
};
onhashchange = load;
onbeforeprint = () => ($("derivation").open = true);
$("derivation").open = false;
load();
