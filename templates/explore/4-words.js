const group = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const float = ([n, d]) => Number(n) / Number(d);
const writer = options => new Intl.NumberFormat("en", options).format;
const thousandths = writer({maximumFractionDigits: 3});
const significant = writer({maximumSignificantDigits: 4});
const show = v => (isWhole(v) ? group(v[0]) : thousandths(float(v)));
const exact = v => (isWhole(v) ? String(v[0]) : v.join("/"));
const signed = (v, write) => (v[0] < 0n ? `−${write(negative(v))}` : `+${write(v)}`);

function brief(v, unit) {
	const x = float(v);
	const step = Math.max(0, Math.floor(Math.log10(Math.abs(x) || 1) / 3));
	const [letters, name] = unit === "parameters" ? [" kMBTP", ""] : [" kMGTP", unit];
	return `${significant(x / 1000 ** step)} ${letters[step] ?? "E"}${name}`.trim();
}

function percent(part, all) {
	const x = 100 * (float(part) / float(all));
	return x && x < 0.1 ? "<0.1 %" : `${x.toFixed(1)} %`;
}

function relative(now, before) {
	const written = v => `${significant(100 * float(v))} %`;
	return before[0] ? signed(over(minus(now, before), before), written) : "";
}
