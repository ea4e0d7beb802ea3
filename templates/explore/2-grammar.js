/* A text becomes a tree, and that a function of dims. */
const SUFFIXES = {k: 3, K: 3, M: 6, B: 9, G: 9, T: 12, Ki: 10, Mi: 20, Gi: 30, Ti: 40};
const DIGITS = String.raw`((?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)([A-Za-z_]\w*)?`;
const TOKEN = RegExp(String.raw`\s*(?:${DIGITS}|([A-Za-z_]\w*|\*\*|\S))`, "g");
const CALLS = {
	down,
	up: v => negative(down(negative(v))),
	nearest: v => down(plus(v, [1n, 2n])),
	max: (...all) => all.reduce((a, b) => (isLess(a, b) ? b : a)),
	min: (...all) => all.reduce((a, b) => (isLess(b, a) ? b : a)),
};
const WORK = {plus, minus, times, over, power, negative, ...CALLS};
const has = Object.hasOwn;

function number(digits, suffix) {
	const [mantissa, exponent = "0"] = digits.replaceAll("_", "").toLowerCase().split("e");
	const [whole, part = ""] = mantissa.split(".");
	if (Math.abs(exponent) > 40) stop(`${digits} is too long`);
	if (suffix && !has(SUFFIXES, suffix)) stop(`${suffix} is no suffix`);
	const unit = (suffix?.[1] ? 2n : 10n) ** BigInt(SUFFIXES[suffix] ?? 0);
	const value = [BigInt(whole + part) * unit, 10n ** BigInt(part.length)];
	return times(value, power([10n, 1n], [BigInt(exponent), 1n]));
}

function parse(text, names) {
	const found = [...text.matchAll(TOKEN)];
	const words = found.map(([, digits, suffix, word]) => word ?? number(digits, suffix));
	let at = 0;
	const take = (...these) => these.includes(words[at]) && words[at++];
	const chain = (inner, kinds) => {
		let left = inner();
		for (let sign; (sign = take(...Object.keys(kinds)));) left = [kinds[sign], left, inner()];
		return left;
	};
	const sum = () => chain(term, {"+": "plus", "-": "minus"});
	const term = () => chain(signed, {"*": "times", "/": "over"});
	const signed = () => (take("+") ? signed() : take("-") ? ["negative", signed()] : raised());
	const raised = () => {
		const base = atom();
		if (!take("**")) return base;
		const exponent = compile(signed())(() => stop("exponents are numbers"));
		if (exponent[0] ** 2n > (64n * exponent[1]) ** 2n) stop("64 is the most");
		return ["power", base, ["number", exponent]];
	};
	const list = () => {
		const inner = [sum()];
		while (take(",")) inner.push(sum());
		return take(")") ? inner : stop("a parenthesis is open");
	};
	const atom = () => {
		const word = words[at++] ?? stop("a number is missing");
		if (Array.isArray(word)) return ["number", word];
		if (word === "(" || (has(CALLS, word) && take("("))) {
			const inner = list();
			if (inner.length > 1 !== /^m/.test(word)) stop("max and min take several");
			return word === "(" ? inner[0] : [word, ...inner];
		}
		const name = has(DIMS, word) ? word : ALIASES.get(word);
		names.add(name ?? stop(`“${word}” is no dim here`));
		return ["name", name];
	};
	let tree = sum();
	const comma = take(",");
	const mode = take("up", "down", "nearest");
	if (mode) {
		["to", "a", "multiple", "of"].forEach(take);
		const multiple = words[at++];
		if (!isWhole(multiple ?? []) || !isLess(ZERO, multiple)) stop(`write ${mode} to 256`);
		tree = ["times", [mode, ["over", tree, ["number", multiple]]], ["number", multiple]];
	}
	if (at < words.length || (comma && !mode)) stop(`“${words[at]}” is too much`);
	return tree;
}

function compile([kind, ...inner]) {
	if (kind === "number") return () => inner[0];
	if (kind === "name") return of => of(inner[0]);
	const made = inner.map(compile);
	return of => WORK[kind](...made.map(each => each(of)));
}

const READ = new Map();
function read(text) {
	if (READ.has(text)) return READ.get(text);
	const found = {text, names: new Set()};
	try {
		found.tree = parse(text, found.names);
		found.value = compile(found.tree);
	} catch ({message}) {
		found.error = message;
	}
	READ.set(text, found);
	return found;
}
