const EQUATIONS = DATA.equations.map(([dim, text]) => ({dim, rule: read(text)}));
const sidesOf = text => text.split(/ (divides|[!<]?=|<) /).map((x, i) => (i === 1 ? x : read(x)));
const CHECKS = DATA.checks.map(each => ({
	text: each.relations.join(" and "),
	...each,
	sides: each.relations.map(sidesOf),
}));
const RUNNING = NAMES.filter(name => DIMS[name].defaults);
const HOLDS = {
	divides: (a, b) => isWhole(over(b, a)),
	"=": isSame,
	"!=": (a, b) => !isSame(a, b),
	"<": isLess,
	"<=": (a, b) => !isLess(b, a),
};
const at = values => name => values.get(name);
const told = (names, values) => names.map(name => `${name} = ${show(values.get(name))}`).join(", ");

function holds(sides, values) {
	try {
		const of = at(values);
		return sides.every(([left, sign, right]) => HOLDS[sign](left.value(of), right.value(of)));
	} catch {
		return false;
	}
}

function bounded(name, value) {
	const {least = 1, most = 1e12} = DIMS[name];
	if (!isWhole(value)) stop(`is not whole: ${show(value)}`);
	if (value[0] < least) stop(`is ${value[0]}, below ${least}`);
	return value[0] > most ? stop("is beyond any model") : value;
}

function typed(given, values, problems) {
	return Object.keys(given).flatMap(name => {
		const rule = read(given[name]);
		try {
			if (rule.error || rule.names.has(name)) stop(rule.error ?? "refers to itself");
			if (rule.names.size) return [{dim: name, rule}];
			values.set(name, bounded(name, rule.value()));
		} catch ({message}) {
			problems.push({dims: [name], text: `${name} = ${given[name]}: ${message}`});
		}
		return [];
	});
}

/* With what rules for these need. */
function closure(names, equations) {
	const wanted = new Set(names);
	for (const name of wanted) {
		for (const {dim, rule} of equations) if (dim === name) rule.names.forEach(wanted.add, wanted);
	}
	return wanted;
}

function resolve(given, atWork) {
	const [values, problems] = [new Map(), []];
	for (const name of NAMES) {
		if (DIMS[name].given && !has(given, name)) values.set(name, [BigInt(DIMS[name].value), 1n]);
	}
	const rules = typed(given, values, problems);
	const equations = [...rules, ...EQUATIONS.filter(({dim}) => !has(given, dim))];
	const needed = NAMES.filter(name => (DIMS[name].need ?? 0) <= atWork);
	const wanted = closure([...needed, ...(atWork ? RUNNING : [])], equations);
	const known = new Set([...values.keys(), ...problems.map(({dims}) => dims[0])]);
	const isKnown = name => values.has(name);
	for (let before = -1; before < known.size;) {
		before = known.size;
		for (const {dim, rule} of equations) {
			const inputs = [...rule.names];
			if (!wanted.has(dim) || known.has(dim) || !inputs.every(name => known.has(name))) continue;
			known.add(dim);
			try {
				if (inputs.every(isKnown)) values.set(dim, bounded(dim, rule.value(at(values))));
			} catch ({message}) {
				const text = `${dim} = ${rule.text} ${message}, with ${told(inputs, values)}`;
				problems.push({dims: [...inputs, dim], text});
			}
		}
	}
	for (const name of needed.filter(name => !known.has(name))) {
		problems.push({dims: [name], text: `${name} has no number: rules go in a circle`});
	}
	for (const {dims, sides, text, reason, unless, work} of CHECKS) {
		if (has(given, unless) || (work && !atWork) || !dims.every(isKnown)) continue;
		if (holds(sides, values)) continue;
		problems.push({dims, text: `${text} does not hold, with ${told(dims, values)}: ${reason}`});
	}
	for (const name of RUNNING.filter(name => atWork && !isKnown(name))) {
		const found = DIMS[name].defaults.map(each => read(String(each)).value?.(at(values)));
		values.set(name, found.find(Boolean));
	}
	return {values, problems};
}

const BODIES = DATA.bodies.map(text => read(text).value);
const QUANTITIES = DATA.quantities.map(each => ({
	...each,
	shares: each.shares.map(([row, copies, body]) => ({
		row,
		value: of => times(BODIES[copies](of), BODIES[body](of)),
	})),
}));

const total = (shares, values) =>
	shares.reduce((v, share) => plus(v, share.value(at(values))), ZERO);

function counted(given) {
	const work = resolve(given, true);
	const weights = work.problems.length ? resolve(given, false) : work;
	const answers = {};
	for (const {name, work: atWork, shares} of QUANTITIES) {
		const {values, problems} = atWork ? work : weights;
		answers[name] = problems.length ? null : total(shares, values);
	}
	return {given, ...work, answers};
}
