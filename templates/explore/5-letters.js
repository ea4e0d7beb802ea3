/* A tree in MathML, in which a line may end at a bar, and in LaTeX: # is a part of it. */
const MATHML = {
	number: ([n]) => `<mn>${decimal(n)}</mn>`,
	name: name => all(`[data-row=${name}] math`)[0].innerHTML,
	plus: '#|<mo form="infix">+</mo>#',
	minus: '#|<mo form="infix">−</mo>#',
	negative: '|<mo form="infix">−</mo>#',
	times: '#<mo>\u2062</mo><mspace width=".15em"/>#',
	over: "<mfrac><mrow>#</mrow><mrow>#</mrow></mfrac>",
	power: "<msup><mrow>#</mrow>#</msup>",
	call: "<mi>#</mi><mo>(</mo>#<mo>)</mo>",
	brackets: '<mo stretchy="false">(</mo>#<mo stretchy="false">)</mo>',
};
const LATEX = {
	number: ([n]) => n,
	name: name => DIMS[name].latex ?? name,
	plus: "# + #",
	minus: "# - #",
	negative: "-#",
	times: "# \\, #",
	over: "\\frac{#}{#}",
	power: "#^{#}",
	call: "\\operatorname{#}(#)",
	brackets: "(#)",
	tall: "\\bigl(#\\bigr)",
};
const ONES = {negative: [0, 1], minus: [0, 0, 1], times: [1, 1, 1]};
const LEVELS = {plus: [0], over: [2], power: [2, 3], ...ONES};

function letters(pen, [kind, ...inner], least = 0) {
	if (kind === "name" || kind === "number") return pen[kind](...inner);
	const join = (pattern, ...parts) => String.raw({raw: pattern.split("#")}, ...parts);
	const [own, ...needs] = LEVELS[kind] ?? [3];
	const parts = inner.map((each, i) => letters(pen, each, needs[i]));
	const text = has(pen, kind) ? join(pen[kind], ...parts) : join(pen.call, kind, parts.join(", "));
	if (own >= least) return own > 1 ? text.replaceAll("|", "") : text;
	return join((/\(|\\frac/.test(text) && pen.tall) || pen.brackets, text);
}
