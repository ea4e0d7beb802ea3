/* The numbers that a dim can have. */
const isDoubled = name => DIMS[name].scale === "doubling";
const faults = given => resolve(given, true).problems.length;

/* The first number from here on with so much wrong at most. */
function allowed({given}, name, from, ways, most) {
	const {least = 1} = DIMS[name];
	const fits = v => v >= least && faults({...given, [name]: String(v)}) <= most;
	for (let k = 0n; k < 96n; k++) {
		const found = ways.map(way => from + k * way).find(fits);
		if (found !== undefined) return found;
	}
	return null;
}

/* Up (1n) or down (-1n). */
function next(state, name, way) {
	const [now] = state.values.get(name) ?? [];
	if (now === undefined) return null;
	if (isDoubled(name)) return way > 0n ? 2n * now : now / 2n || null;
	const step = way * BigInt(DIMS[name].step);
	return allowed(state, name, now + step, [step], state.problems.length);
}

const nearest = (state, name) => next(state, name, 1n) ?? next(state, name, -1n);

/* Numbers with which less is wrong. */
function mends(state, {dims}) {
	const most = state.problems.length - 1;
	const names = [...new Set(dims)].sort((a, b) => (b === focused) - (a === focused));
	const found = names.flatMap(name => {
		const [now] = state.values.get(name) ?? [BigInt(DIMS[name].value)];
		const near = [-1n, 1n].map(way => allowed(state, name, now + way, [way], most));
		const {[name]: typed, ...rest} = state.given;
		if (typed && faults(rest) <= most) near.push("");
		return near.filter(v => v !== null).map(v => [name, v]);
	});
	return found.slice(0, 5);
}
