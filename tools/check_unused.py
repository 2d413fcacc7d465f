#!/usr/bin/env python3
"""Finds functions, methods and types that headers of millrace/ declare and only tests use.

The search is by name: a name that occurs anywhere else in the code counts as used, even if it is something else of that name; a
method that only overrides another is used if that is. Comments do not count, nor do strings, except in tools/opgen, which
generates code. tools/unused_allowed.txt lists names that stay all the same, each with its reason, and folders and headers that
exist for programs and tests, of which a test's use of a name is enough.
"""

import collections
import os
import re
import sys

import check_layers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join("tools", "unused_allowed.txt")

COMMENT = r"//[^\n]*|/\*.*?\*/"
STRING = r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"' + r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"
COMMENTS = re.compile(COMMENT, re.DOTALL)
COMMENTS_AND_STRINGS = re.compile(COMMENT + "|" + STRING, re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|[{}();<>,=~:*&]")
MACRO = re.compile(r"[A-Z][A-Z0-9_]*$|__attribute__$")
TYPES = ("class", "struct", "union", "enum")
# Words before a parenthesis that are not a function's name.
NO_NAMES = {
  "alignas",
  "auto",
  "bool",
  "char",
  "const",
  "decltype",
  "double",
  "explicit",
  "float",
  "if",
  "int",
  "noexcept",
  "requires",
  "return",
  "sizeof",
  "switch",
  "typeof",
  "void",
  "while",
  "for",
}
NO_DECLARATIONS = {"using", "typedef", "friend", "static_assert", "extern"}


def lines_of(m):
  """Returns the replacement of a removed piece: the same number of empty lines."""
  return "\n" * m.group(0).count("\n") or " "


def code_of(path, text):
  return (COMMENTS if path.startswith("tools/opgen/") else COMMENTS_AND_STRINGS).sub(lines_of, text)


def after_template(statement):
  """Returns the statement without a leading `template <...>`."""
  while statement and statement[0][0] == "template":
    depth = 0
    for i, (token, _) in enumerate(statement):
      depth += (token == "<") - (token == ">")
      if token == ">" and depth == 0:
        statement = statement[i + 1 :]
        break
    else:
      return []
  return statement


def scope_of(words):
  """Returns (kind, name) of the scope that a statement opens by its brace; (None, None) for a body or a value."""
  for i, word in enumerate(words[:3]):
    if word not in TYPES and word != "namespace":
      continue
    name = None
    for w in words[i + 1 :]:
      if w == "(":
        return None, None  # a function that returns `struct X`
      if w in (":", "<", "final"):
        break
      if WORD.match(w) and w != "class" and not (name and MACRO.match(w)):
        name = w
    return word, name
  return ("namespace", None) if words == ["extern"] else (None, None)


def function_of(statement, scopes):
  """Returns (name, offset) of the function that a statement declares or defines; None for all others and for
  constructors."""
  words = [token for token, _ in statement]
  if not words or words[0] in NO_DECLARATIONS or "operator" in words:
    return None
  angle = depth = 0
  for i, word in enumerate(words):
    if word == "(" and depth == 0 and angle == 0 and i > 0 and WORD.match(words[i - 1]):
      name = words[i - 1]
      is_pointer = words[i + 1 : i + 2] in (["*"], ["&"])
      if not MACRO.match(name) and name not in NO_NAMES and not is_pointer:
        before = words[i - 2] if i > 1 else ""
        makes = name in scopes or before in ("", "~") or (before == "::" and words[i - 3] == name)
        return None if makes else (name, statement[i - 1][1])
    if word == "=" and depth == 0 and angle == 0:
      return None
    depth += (word == "(") - (word == ")")
    if depth == 0:
      angle += word == "<" and i > 0
      angle -= word == ">" and angle > 0
  return None


def declarations(code):
  """Returns (name, line, overrides) of the declarations and definitions of a file outside of functions' bodies."""
  code = DIRECTIVE.sub(lines_of, code)
  tokens = [(m.group(0), m.start()) for m in TOKEN.finditer(code)]
  found, scopes, statement = [], [], []

  def note():
    declared = function_of(after_template(statement), scopes)
    if declared:
      found.append((*declared, "override" in [token for token, _ in statement]))

  i, parentheses = 0, 0
  while i < len(tokens):
    token = tokens[i][0]
    if parentheses == 0 and token in "{};":
      words = [t for t, _ in after_template(statement)]
      kind, name = scope_of(words) if token == "{" else (None, None)
      if kind in ("class", "struct") and name:
        found.append((name, next(at for t, at in reversed(statement) if t == name), False))
      if kind and kind != "enum":
        scopes.append(name)
        statement = []
      elif token == "{":
        depth = 1
        while depth > 0 and i + 1 < len(tokens):
          i += 1
          depth += (tokens[i][0] == "{") - (tokens[i][0] == "}")
        if tokens[i + 1 : i + 2] and tokens[i + 1][0] in ",{":  # in a constructor's initializer list
          statement.append(tokens[i])
        else:
          note()
          statement = []
      else:
        if token == ";" and len(words) == 2 and words[0] in TYPES:  # a forward declaration
          found.append((words[1], statement[-1][1], False))
        elif token == ";":
          note()
        elif scopes:
          scopes.pop()
        statement = []
    elif token == ":" and len(statement) == 1 and statement[0][0] in ("public", "private", "protected"):
      statement = []
    else:
      parentheses += (token == "(") - (token == ")")
      statement.append(tokens[i])
    i += 1
  return [(name, code.count("\n", 0, offset) + 1, overrides) for name, offset, overrides in found]


def is_test(path):
  return path.startswith("tests/") or path.endswith("_test.cc") or "/testing/" in path


def listed(root):
  """Returns {name, folder or header: reason} of the list."""
  reasons = {}
  with open(os.path.join(root, LIST), encoding="utf-8") as f:
    for number, line in enumerate(f, 1):
      words = line.split(None, 1)
      if not words or words[0].startswith("#"):
        continue
      if len(words) < 2:
        raise SystemExit("%s:%d: %s has no reason" % (LIST, number, words[0]))
      reasons[words[0]] = words[1].strip()
  return reasons


def unused(root):
  """Returns {name: (where it is declared, "path:line"; whether a test uses it)}."""
  codes, counts, declared = {}, {}, collections.defaultdict(list)
  for path in check_layers.repository_files(root):
    with open(os.path.join(root, path), encoding="utf-8") as f:
      codes[path] = code_of(path, f.read())
    counts[path] = collections.Counter(WORD.findall(codes[path]))
  products = [path for path in codes if not is_test(path)]
  total = collections.Counter()
  for path in products:
    total.update(counts[path])
  known = {}
  for path in products:
    if path.endswith(".h"):
      known[path] = declarations(codes[path])
      for name, line, overrides in known[path]:
        declared[name].append((path, line, overrides))
  # Each declaration may have a definition; a name that occurs more often than that is used.
  few = {
    name
    for name, places in declared.items()
    if total[name] <= 2 * len(places) and any(path.startswith("millrace/") and not overrides for path, _, overrides in places)
  }
  uses = collections.Counter({name: total[name] for name in few})
  for path in products:
    if few.isdisjoint(counts[path]):
      continue
    for name, _, _ in known.get(path) or declarations(codes[path]):
      uses[name] -= name in few
  found = {}
  for name in sorted(few):
    if uses[name] > 0:
      continue
    path, line, _ = next(p for p in declared[name] if p[0].startswith("millrace/") and not p[2])
    found[name] = ("%s:%d" % (path, line), any(counts[p][name] for p in codes if is_test(p)))
  return found


def check(root):
  """Returns all problems, as lines."""
  reasons, problems, needed = listed(root), [], set()
  places = [entry for entry in reasons if "/" in entry]
  for name, (place, in_tests) in unused(root).items():
    excuses = [name] if name in reasons else [p for p in places if in_tests and place.startswith(p)]
    needed.update(excuses)
    if not excuses:
      problems.append(
        "%s: nothing %suses %s; take it out, or give its reason in %s" % (place, "but tests " if in_tests else "", name, LIST)
      )
  problems += ["%s: %s excuses nothing; take it off" % (LIST, entry) for entry in sorted(set(reasons) - needed)]
  return problems


def main():
  problems = check(ROOT)
  print("\n".join(problems) if problems else "unused declarations: nothing to complain about")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
