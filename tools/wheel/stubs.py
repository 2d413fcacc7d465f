"""Stubs of the public modules: what type checkers and editors know of `millrace` and the modules below it, from the tables of
public names (python/millrace/api). A module that Python finds by those tables alone has its stub as the only file."""

import importlib.util
import os
import sys

HEAD = "# Made by tools/wheel/stubs.py from the tables of public names.\n"


def read_tables(package):
  path = os.path.join(package, "api", "tables.py")
  spec = importlib.util.spec_from_file_location("millrace_tables", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module.tables()


def line_of(name, place):
  """How a module gets one of its names."""
  module, _, attribute = place.partition(":")
  module = "millrace." + module if module else "millrace"
  if not attribute:
    above, _, last = module.rpartition(".")
    return "from %s import %s as %s" % (above, last, name) if above else None
  first, _, rest = attribute.partition(".")
  if rest:  # of a class, or of a module that the module has
    return "from %s import %s as _%s\n%s = _%s.%s" % (module, first, name, name, name, rest)
  return "from %s import %s as %s" % (module, attribute, name)


def texts(package):
  """Returns {name of a file below the package: its text}."""
  tables = read_tables(package)
  found = {}
  for module, members in sorted(tables.members.items()):
    if module.startswith("tf.compat.v1"):
      continue
    lines = []
    for name in sorted(members):
      full = "%s.%s" % (module, name)
      place = tables.places.get(full)
      if not name.isidentifier():
        continue
      if place is not None:
        lines.append(line_of(name, place))
      elif full in tables.members:
        lines.append("from millrace%s import %s as %s" % (module[2:], name, name))
    if module == "tf":
      lines += ["__version__: str", "def install(tf: str = ...) -> None: ..."]
    folder = module[3:].replace(".", "/")
    found[os.path.join(folder, "__init__.pyi")] = HEAD + "\n".join(line for line in lines if line) + "\n"
  return found


if __name__ == "__main__":
  for name, text in texts(sys.argv[1]).items():
    print("== %s\n%s" % (name, text))
