const float = ([n, d]) => Number(n) / Number(d);
const few = {maximumFractionDigits: 2, maximumSignificantDigits: 4};
const decimal = new Intl.NumberFormat("en", {...few, roundingPriority: "morePrecision"}).format;
const show = v => decimal(isWhole(v) ? v[0] : float(v));
const exact = v => (isWhole(v) ? String(v[0]) : v.join("/"));
const signed = (v, write) => (v[0] < 0n ? `−${write(negative(v))}` : `+${write(v)}`);

function brief(v, unit) {
	const x = float(v);
	const step = Math.max(0, Math.floor(Math.log10(Math.abs(x) || 1) / 3));
	const [letters, name] = unit === "parameters" ? [" kMBTP", ""] : [" kMGTP", unit];
	return `${decimal(x / 1000 ** step)} ${letters[step] ?? "E"}${name}`.trim();
}

function percent(part, all) {
	const x = 100 * (float(part) / float(all));
	return x && x < 0.1 ? "<0.1 %" : `${x.toFixed(1)} %`;
}

function relative(now, before) {
	const written = v => `${decimal(100 * float(v))} %`;
	return before[0] ? signed(over(minus(now, before), before), written) : "";
}
