"""What a trace found, as data: keys, rows, assumptions, evidence; and the model that they make."""
