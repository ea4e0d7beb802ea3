/* A tree as MathML; at a bar a line may end. */
const mn = n => `<mn>${group(n)}</mn>`;
const digits = v => (isWhole(v) ? mn(v[0]) : `<mfrac>${v.map(mn).join("")}</mfrac>`);
const mrow = inner => `<mrow>${inner.replaceAll("|", "")}</mrow>`;
const infix = sign => `|<mo form="infix">${sign}</mo>`;
const brackets = inner => `<mo stretchy="false">(</mo>${inner}<mo stretchy="false">)</mo>`;
const LEVELS = {plus: 0, minus: 0, negative: 0, times: 1, over: 2, power: 2};
const WRITTEN = {
	number: digits,
	name: name => all(`[data-row=${name}] math`)[0].innerHTML,
	plus: (a, b) => letters(a) + infix("+") + letters(b),
	minus: (a, b) => letters(a) + infix("−") + letters(b, 1),
	negative: a => infix("−") + letters(a, 1),
	times: (a, b) => `${letters(a, 1)}<mo>&#x2062;</mo><mspace width=".15em"/>${letters(b, 1)}`,
	over: (a, b) => `<mfrac>${mrow(letters(a))}${mrow(letters(b))}</mfrac>`,
	power: (a, n) => `<msup>${mrow(letters(a, 3))}${letters(n)}</msup>`,
};

function letters([kind, ...inner], least = 0) {
	const call = () => `<mi>${kind}</mi>${brackets(inner.map(each => letters(each)).join(", "))}`;
	const text = has(WRITTEN, kind) ? WRITTEN[kind](...inner) : call();
	return (LEVELS[kind] ?? 3) < least ? brackets(text) : text;
}
