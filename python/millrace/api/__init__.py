"""The public names: tables that say where each one is, and modules that look them up when they are asked for.

A table is a file `<area>.txt` with a line for each name: the public name, two spaces, and its place, `module:attribute` below
this package. A place without attribute is a whole module. Lines that begin with # are comments. `absent.txt` and
`<area>_absent.txt` have, in the same form, names that are not offered and what to use instead; those of
`importable_absent.txt` can be imported and be base classes all the same (`stand_ins.py`).
"""
