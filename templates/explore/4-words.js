/* Numbers as people read them. */
const group = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const float = ([n, d]) => Number(n) / Number(d);
const places = (x, most, least) =>
	x.toLocaleString("en", {maximumFractionDigits: most, minimumFractionDigits: least});
const significant = (x, most) => x.toLocaleString("en", {maximumSignificantDigits: most});
const show = v => (isWhole(v) ? group(v[0]) : places(float(v), 3));
const exact = v => (isWhole(v) ? String(v[0]) : v.join("/"));
const signed = (v, write) => (v[0] < 0n ? `−${write(negative(v))}` : `+${write(v)}`);

/* 6.738 B of parameters, 2.147 GB */
function brief(v, unit) {
	const x = float(v);
	const step = Math.max(0, Math.floor(Math.log10(Math.abs(x) || 1) / 3));
	const [letters, name] = unit === "parameters" ? [" kMBTP", ""] : [" kMGTP", unit];
	return `${significant(x / 1000 ** step, 4)} ${letters[step] ?? "E"}${name}`.trim();
}

function percent(part, all) {
	const x = 100 * (float(part) / float(all));
	return x && x < 0.1 ? "<0.1 %" : `${places(x, 1, 1)} %`;
}

function relative(now, before) {
	const written = v => `${significant(100 * float(v), 3)} %`;
	return before[0] ? signed(over(minus(now, before), before), written) : "";
}
