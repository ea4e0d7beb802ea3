"""The command line: thin. It reads arguments, makes one library call, and prints."""
