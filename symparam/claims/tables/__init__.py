"""Tables as papers print them: cells, columns, rows, to models with claims."""
