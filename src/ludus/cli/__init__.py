"""The command line: one file for each group of commands. Thin: parse, call, print."""
