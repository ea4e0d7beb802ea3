"""What can be traced: files, classes, models of libraries, configurations."""
