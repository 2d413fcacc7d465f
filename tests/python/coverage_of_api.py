"""How much of TensorFlow 1.15's public API is there, and how much of it the tests call: three figures by name space.

`coverage_of_api.py [--missing] [--area tf.nn]` reads the facts of api_1_15.tsv (name, kind, signature, how many programs use it) and
the programs of pairs/ that agree, with test_*.py. What counts:

1. functions and classes that 3 programs or more use: present; with an equal signature (names, order, which have defaults); each
   parameter given another value than its default in some test;
2. other functions and classes: present; called in a test that checks values;
3. methods, properties and members: present.
"""

import argparse
import ast
import glob
import inspect
import os
import re
import sys
import textwrap

import pair_runner

FOLDER = os.path.dirname(os.path.abspath(__file__))
OFTEN = 3


class Row:
  def __init__(self, line):
    fields = line.rstrip("\n").split("\t")
    self.name, self.kind, self.signature = fields[0], fields[1], fields[2]
    self.count = int(fields[3] or 0)
    self.area = area_of(self.name)


def area_of(name):
  words = name.split(".")
  return "tf." + words[1] if len(words) > 2 and words[1][0].islower() and words[1] not in _FUNCTIONS_WITH_PARTS else "tf"


_FUNCTIONS_WITH_PARTS = {
  "constant_initializer",
  "glorot_normal_initializer",
  "glorot_uniform_initializer",
  "name_scope",
  "ones_initializer",
  "orthogonal_initializer",
  "random_normal_initializer",
  "random_uniform_initializer",
  "truncated_normal_initializer",
  "uniform_unit_scaling_initializer",
  "variable_scope",
  "variance_scaling_initializer",
  "zeros_initializer",
}


def rows():
  """The rows in scope: without names that the package says it does not offer."""
  from millrace.api.tables import tables

  with open(os.path.join(FOLDER, "api_1_15.tsv"), encoding="utf-8") as file:
    found = [Row(line) for line in file if not line.startswith("#")]
  return [row for row in found if tables().reason(row.name) is None]


def parameters(signature):
  """[(name, text of the default or None)] of a signature's text; stars stay in the names."""
  text = signature.strip()
  if not text.startswith("("):
    return None
  parts, depth, part = [], 0, ""
  for letter in text[1:-1]:
    if letter in "([{<":
      depth += 1
    elif letter in ")]}>":
      depth -= 1
    if letter == "," and depth == 0:
      parts.append(part)
      part = ""
    else:
      part += letter
  parts.append(part)
  found = []
  for part in parts:
    name, equals, default = part.strip().partition("=")
    if name:
      found.append((name, default if equals else None))
  return found


def our_parameters(function):
  """As parameters() for a function of this package; None if it says nothing."""
  try:
    signature = inspect.signature(function)
  except (TypeError, ValueError):
    return None
  found = []
  for parameter in signature.parameters.values():
    star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    has_default = parameter.default is not inspect.Parameter.empty
    found.append((star + parameter.name, repr(parameter.default) if has_default else None))
  return found


def same_signature(facts, ours):
  """True if names, order and which have defaults agree."""
  if facts is None:
    return True
  if ours is None:
    return False
  return [(name, default is None) for name, default in facts] == [(name, default is None) for name, default in ours]


def find(tf, name):
  """The object of a public name. Raises AttributeError or ImportError if there is none."""
  found = tf
  for part in name.split(".")[1:]:
    if inspect.isclass(found) and part not in ("__init__",):
      found = inspect.getattr_static(found, part, None) or getattr(found, part)
    else:
      found = getattr(found, part)
  return found


class Calls(ast.NodeVisitor):
  """Calls of public names in one function: {name: set of (number of positional arguments, keywords)}."""

  def __init__(self):
    self.aliases = {"tf": "tf"}
    self.calls = {}
    self.names = set()

  def dotted(self, node):
    if isinstance(node, ast.Name):
      return self.aliases.get(node.id)
    if isinstance(node, ast.Attribute):
      base = self.dotted(node.value)
      return None if base is None else "%s.%s" % (base, node.attr)
    return None

  def visit_Assign(self, node):
    self.generic_visit(node)
    value = self.dotted(node.value)
    if value is not None:
      for target in node.targets:
        if isinstance(target, ast.Name):
          self.aliases[target.id] = value

  def visit_For(self, node):
    # `for function in [tf.a, tf.b]: function(...)` calls each of them.
    if isinstance(node.target, ast.Name) and isinstance(node.iter, (ast.List, ast.Tuple)):
      names = [self.dotted(element) for element in node.iter.elts]
      if names and all(names):
        for name in names:
          self.aliases[node.target.id] = name
          for statement in node.body:
            self.visit(statement)
        return
    self.generic_visit(node)

  def visit_Attribute(self, node):
    name = self.dotted(node)
    if name is not None:
      self.names.add(name)
    self.generic_visit(node)

  def visit_Constant(self, node):
    # A program as a text, which a test runs.
    if isinstance(node.value, str) and "\n" in node.value and "tf." in node.value:
      try:
        tree = ast.parse(textwrap.dedent(node.value.replace("%r", "None").replace("%s", "None")))
      except (SyntaxError, ValueError):
        return
      inner = Calls()
      inner.visit(tree)
      self.names |= inner.names
      for name, calls in inner.calls.items():
        self.calls.setdefault(name, []).extend(calls)

  def visit_Call(self, node):
    name = self.dotted(node.func)
    if name is not None:
      starred = any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords)
      self.calls.setdefault(name, []).append((node.args, {k.arg: k.value for k in node.keywords if k.arg}, starred))
    self.generic_visit(node)


def calls_in(path, only=None):
  """Calls of public names in a file: of all its functions, or of the named programs and what is no program."""
  with open(path, encoding="utf-8") as file:
    tree = ast.parse(file.read())
  found = []
  for node in tree.body:
    name = getattr(node, "name", "")
    if only is not None and name.startswith("program_") and name[len("program_") :] not in only:
      continue
    visitor = Calls()
    visitor.visit(node)
    found.append(visitor)
  return found


def text_of(node):
  try:
    return str(ast.literal_eval(node))
  except (ValueError, TypeError, SyntaxError):
    return ast.unparse(node).replace("tf.", "")


def set_parameters(facts, call):
  """Names of the parameters that a call sets to another value than the default."""
  arguments, keywords, starred = call
  plain = [parameter for parameter in facts if not parameter[0].startswith("*") and parameter[0] != "self"]
  found = set()
  for (name, default), value in zip(plain, arguments):
    if isinstance(value, ast.Starred) or default is None or text_of(value) != default:
      found.add(name)
  defaults = dict(plain)
  for name, value in keywords.items():
    if name in defaults and (defaults[name] is None or text_of(value) != defaults[name]):
      found.add(name)
  if starred:
    found.update(name for name, default in plain if default is None)
  return found


class Coverage:
  """What tests call, by the place of a name, since a function may have several public names."""

  def __init__(self, tf, run):
    self._tf = tf
    self.calls = {}  # identity of the object: list of calls
    self.names = set()
    self.spelled = set()  # of a name that stands for None there is no object to tell it by
    for path in sorted(glob.glob(os.path.join(pair_runner.PAIRS, "**", "*.py"), recursive=True)):
      agreeing = [name for name, text in pair_runner.compare_file(path) if text is None] if run else None
      self._add(calls_in(path, agreeing))
    for path in sorted(glob.glob(os.path.join(FOLDER, "**", "test_*.py"), recursive=True)):
      self._add(calls_in(path))

  def _add(self, visitors):
    for visitor in visitors:
      self.spelled |= visitor.names
      self.names |= {id(found) for found in map(self._object, visitor.names) if found is not None}
      for name, calls in visitor.calls.items():
        found = self._object(name)
        if found is not None:
          self.calls.setdefault(id(found), []).extend(calls)

  def _object(self, name):
    try:
      return find(self._tf, name)
    except (AttributeError, ImportError, KeyError):
      return None


def percent(part, whole):
  return "%5.1f %% (%d of %d)" % (100.0 * part / whole if whole else 100.0, part, whole)


def report(areas, missing):
  """Prints the figures; returns them as a list of (area, which, value)."""
  for title, keys in (
    ("1. functions and classes that %d programs or more use" % OFTEN, ("present", "signature", "parameters")),
    ("2. other functions and classes", ("present_other", "signature_other", "called")),
    ("3. methods, properties and members", ("present_member", "signature_member")),
  ):
    print(title)
    totals = {key: [0, 0] for key in keys}
    for area in sorted(areas):
      shown = []
      for key in keys:
        part, whole = areas[area].get(key, (0, 0))
        totals[key][0] += part
        totals[key][1] += whole
        if whole:
          shown.append("%s %s" % (key.split("_")[0], percent(part, whole)))
      if shown:
        print("  %-20s %s" % (area, "   ".join(shown)))
    print("  %-20s %s" % ("all", "   ".join("%s %s" % (key.split("_")[0], percent(*totals[key])) for key in keys)))
  for key in missing:
    print("%s:\n  %s" % (key, "\n  ".join(missing[key])))


def count(tf, coverage, area_wanted=None):
  """Returns ({area: {figure: (part, whole)}}, {figure: texts of what is missing})."""
  areas, missing = {}, {}
  facts = rows()
  constructors = {row.name[: -len(".__init__")]: row.signature for row in facts if row.name.endswith(".__init__")}

  def add(row, key, good, text=None):
    figures = areas.setdefault(row.area, {})
    part, whole = figures.get(key, (0, 0))
    figures[key] = (part + bool(good), whole + 1)
    if not good:
      missing.setdefault(key, []).append(text or row.name)

  for row in facts:
    if area_wanted and row.area != area_wanted:
      continue
    try:
      found = find(tf, row.name)
      problem = None
    except (AttributeError, ImportError, KeyError) as error:
      found, problem = None, error
    member = row.kind in ("method", "property", "member")
    often = row.count >= OFTEN and not member
    suffix = "_member" if member else "" if often else "_other"
    if row.name.endswith(".__init__"):
      continue
    add(
      row,
      "present" + suffix,
      problem is None,
      "%s: %s" % (row.name, problem) if not isinstance(problem, AttributeError) else row.name,
    )
    if problem is not None:
      continue
    signature = constructors.get(row.name, "") if row.kind in ("class", "value") else row.signature
    known = parameters(signature) if signature and row.kind != "module" else None
    if known is not None:
      subject = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
      ours = our_parameters(subject)
      if inspect.isclass(subject) and ours is not None:
        known = [parameter for parameter in known if parameter[0] != "self"]
      add(
        row, "signature" + suffix, same_signature(known, ours), "%s\n    facts: %s\n    ours:  %s" % (row.name, signature, ours)
      )
    if member or row.kind not in ("function", "class", "value"):
      continue
    called = coverage.calls.get(id(found), [])
    if often:
      plain = [name for name, _ in known or () if not name.startswith("*") and name not in ("self", "cls")]
      done = set()
      for call in called:
        done |= set_parameters(known or [], call)
      left = [name for name in plain if name not in done]
      add(
        row,
        "parameters",
        not left and (called or id(found) in coverage.names or row.name in coverage.spelled),
        "%s: %s" % (row.name, ", ".join(left) or "not called"),
      )
    else:
      add(row, "called", called or id(found) in coverage.names)
  return areas, missing


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--missing", action="store_true", help="list what is missing")
  parser.add_argument("--area", help="only this name space, such as tf.nn")
  parser.add_argument("--no-run", action="store_true", help="take all programs of the pairs for agreeing")
  options = parser.parse_args()
  sys.path.insert(0, pair_runner.package_folder())
  import millrace as tf

  areas, missing = count(tf, Coverage(tf, not options.no_run), options.area)
  report(areas, missing if options.missing else {})


if __name__ == "__main__":
  main()
