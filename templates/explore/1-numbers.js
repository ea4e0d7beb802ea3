const DIMS = DATA.dims;
const NAMES = Object.keys(DIMS);
const ALIASES = new Map(DATA.aliases);

/* Exact numbers: [numerator, denominator] in lowest terms, BigInts. */
const stop = problem => {
	throw Error(problem);
};
const ZERO = [0n, 1n];
const isWhole = ([, d]) => d === 1n;
const bits = n => BigInt(n.toString(2).length);

function fraction(n, d) {
	if (d === 1n) return [n, d];
	if (!d) stop("divides by zero");
	let [a, b] = [n, d];
	while (b) [a, b] = [b, a % b];
	if (a < 0n !== d < 0n) a = -a;
	return [n / a, d / a];
}

const plus = ([a, b], [c, d]) => fraction(a * d + c * b, b * d);
const times = ([a, b], [c, d]) => fraction(a * c, b * d);
const over = ([a, b], [c, d]) => fraction(a * d, b * c);
const negative = ([n, d]) => [-n, d];
const minus = (v, w) => plus(v, negative(w));
const isLess = (v, w) => minus(v, w)[0] < 0n;
const isSame = (v, w) => !minus(v, w)[0];
const down = ([n, d]) => [n / d - BigInt(n % d < 0n), 1n];

/* With exact roots alone. */
function power(base, [n, d]) {
	if (n < 0n) return over([1n, 1n], power(base, [-n, d]));
	const raised = v => (bits(v) * n > 12000n ? stop("beyond any model") : root(v ** n, d));
	return fraction(...base.map(raised));
}

function root(value, degree) {
	if (degree === 1n) return value;
	let [low, high] = [0n, 1n << (bits(value) / degree + 1n)];
	while (low < high) {
		const middle = (low + high) / 2n;
		if (middle ** degree < value) low = middle + 1n;
		else high = middle;
	}
	return low ** degree === value ? low : stop("has a root that is not exact");
}
