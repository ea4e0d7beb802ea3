// Reads [{"tex": ..., "display": ...}, ...] on stdin; writes what KaTeX refuses: [[index, why], ...].
const katex = require(process.argv[2]);

const formulas = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const wrong = [];
formulas.forEach(({ tex, display }, index) => {
  try {
    katex.renderToString(tex, { displayMode: display, strict: "error", throwOnError: true });
  } catch (error) {
    wrong.push([index, String(error.message)]);
  }
});
process.stdout.write(JSON.stringify(wrong));
