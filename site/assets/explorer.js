// The explorer on a page is light or dark as the page is, where the reader chose that by hand.
const DARK = "(prefers-color-scheme: dark)";
const frames = document.querySelectorAll("details.explorer > iframe");
const dark = () => document.body.getAttribute("data-md-color-scheme") === "slate";

function* rules(page) {
  for (const sheet of page.styleSheets) {
    for (const rule of sheet.cssRules) if (rule instanceof page.defaultView.CSSMediaRule) yield rule;
  }
}

function paint(frame) {
  const page = frame.contentDocument;
  if (!page) return;
  for (const rule of rules(page)) {
    if (rule.media.mediaText === DARK || rule.ofScheme) {
      rule.ofScheme = true;
      rule.media.mediaText = dark() ? "screen" : "not all";
    }
  }
  page.documentElement.style.colorScheme = dark() ? "dark" : "light";
}

for (const frame of frames) {
  frame.addEventListener("load", () => paint(frame));
  if (frame.contentDocument?.readyState === "complete") paint(frame);
}
new MutationObserver(() => frames.forEach(paint))
  .observe(document.body, {attributes: true, attributeFilter: ["data-md-color-scheme"]});
