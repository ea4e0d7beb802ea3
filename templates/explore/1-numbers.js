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
const down = ([n, d]) => [n / d - (n % d < 0n ? 1n : 0n), 1n];

/* A fraction to a fraction; only exact roots. */
function power(base, [n, d]) {
	const size = n < 0n ? -n : n;
	const found = base.map(v => {
		if (bits(v) * size > 12000n) stop("beyond any model");
		return root(v ** size, d);
	});
	return n < 0n ? fraction(found[1], found[0]) : fraction(...found);
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
