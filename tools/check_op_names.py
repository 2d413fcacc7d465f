#!/usr/bin/env python3
"""Rejects op names in files outside of millrace/ops: facts about an op are declared with it.

A name is a string literal that is an op's. The name of a node (WithOpName("Shape")) does not count; nor do names in tests and
in `testing` folders. tools/op_names.txt lists the files that may contain some, each with its reason.
"""

import collections
import os
import re
import sys

import check_layers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join("tools", "op_names.txt")
MOST_NAMES = 95
NODE_NAMES = re.compile(r'\b(WithOpName|BlockFor|SubScope|TakeOpName)\(\s*"[^"]*"')


def listed(root):
  """Returns {path: reason} of the list."""
  files = {}
  with open(os.path.join(root, LIST), encoding="utf-8") as f:
    for number, line in enumerate(f, 1):
      words = line.split(None, 1)
      if not words or words[0].startswith("#"):
        continue
      if len(words) < 2:
        raise SystemExit("%s:%d: %s has no reason" % (LIST, number, words[0]))
      files[words[0]] = words[1].strip()
  return files


def names_in(text, ops):
  """Returns (line, op) of each op name in the text."""
  for number, line in enumerate(text.split("\n"), 1):
    code = NODE_NAMES.sub("", check_layers.strip_comment(line))
    for name in re.findall(r'"(\w+)"', code):
      if name in ops:
        yield number, name


def is_checked(path):
  return (
    path.startswith("millrace/")
    and not path.startswith("millrace/ops/")
    and not path.endswith("_test.cc")
    and "/testing/" not in path
  )


def check(root):
  """Returns all problems, as lines."""
  paths = list(check_layers.repository_files(root))
  ops = {op for facet, op, _, _ in check_layers.declarations(root, paths) if facet == "op"}
  reasons = listed(root)
  problems, counts = [], collections.Counter()
  for path in filter(is_checked, paths):
    with open(os.path.join(root, path), encoding="utf-8") as f:
      found = list(names_in(f.read(), ops))
    counts[path] = len(found)
    if path in reasons:
      continue
    problems += [
      "%s:%d: \"%s\" is an op's name; ask its declaration (millrace/graph/op_traits.h), or give the file's reason "
      "in %s" % (path, number, name, LIST)
      for number, name in found
    ]
  problems += ["%s: %s writes no op name; take it off" % (LIST, path) for path in sorted(reasons) if not counts[path]]
  if sum(counts.values()) > MOST_NAMES:
    most = ", ".join("%s %d" % (path, n) for path, n in counts.most_common(5))
    problems.append(
      "%s: %d op names outside of millrace/ops, %d are the most (%s)" % (LIST, sum(counts.values()), MOST_NAMES, most)
    )
  return problems


def main():
  problems = check(ROOT)
  print("\n".join(problems) if problems else "op names: nothing to complain about")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
