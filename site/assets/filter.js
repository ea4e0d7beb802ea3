// A field above a long table: rows that have not all of its words are hidden.
for (const place of document.querySelectorAll(".gallery")) {
  const rows = [...place.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const field = Object.assign(document.createElement("input"), {
    type: "search", className: "filter", placeholder: "Filter: name, family or number",
  });
  const said = document.createElement("output");
  field.setAttribute("aria-label", "Filter the models");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => { row.hidden = !words.every((word) => texts[i].includes(word)); });
    said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  field.addEventListener("input", show);
  place.prepend(field, said);
  show();
}
