"""Export: what was found, as a document, in text, Markdown, LaTeX and JSON."""
