"""symparam in a browser: a page that runs it in Pyodide; ``python -m webtool FOLDER`` builds it."""
