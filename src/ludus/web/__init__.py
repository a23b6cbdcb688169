"""The page: a local web app where people play, watch and look things up, and an HTTP interface for programs. `ludus serve` runs it.

The server's own process (`app`, `tables`, `live`) holds games under way, talks with browsers, and writes to the database. It knows no rules: rules,
drawings and players are asked in worker processes (`workers`) through the functions of `referee`, plain data in, plain data out.
"""
