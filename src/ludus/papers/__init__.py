"""One module a paper, with its published figures and a function `run(bench)`, and a folder for what only the papers on one game need.

`report` holds what all papers share, `reproduce` runs one by name.
"""
