// What the page's script makes of changes, without a page: its files that know nothing of one.
// Standard input: {"script", "models": [{"data", "changes"}]}; standard output: for each change of
// each model the exact numbers by name, null where refused, and what is wrong.
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answers = given.models.map(({data, changes}) => {
  const {counted, exact} = new Function("DATA", `${given.script}; return {counted, exact};`)(data);
  return changes.map(change => {
    const {answers, problems} = counted(change);
    const found = Object.entries(answers).map(([name, v]) => [name, v && exact(v)]);
    return {answers: Object.fromEntries(found), problems: problems.map(each => each.text)};
  });
});
process.stdout.write(JSON.stringify(answers));
