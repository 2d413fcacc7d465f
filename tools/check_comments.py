#!/usr/bin/env python3
"""Refuses comments in the headers of millrace/ that begin with a word of a fragment: "Of one graph; remembers what it found."

Looks at the `//` comments that stand before a declaration and begin a paragraph: after an empty line, another declaration or
nothing. Such a comment is a whole sentence about the declared thing (CONTRIBUTING.md, Style).
"""

import os
import re
import sys

import check_layers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A sentence about a declaration begins with none of these: its subject is left out, or is not named.
WORDS = ("Of", "Who", "Whoever", "What", "Whatever", "Those")
FIRST = re.compile(r"\s*//\s*(%s)\b" % "|".join(WORDS))


def comments(text):
  """(line, first line of the comment) of each `//` comment that begins a paragraph before a declaration."""
  lines = text.split("\n")
  for number, line in enumerate(lines):
    if not is_comment(line) or number > 0 and goes_on(lines[number - 1], line):
      continue
    end = number
    while end < len(lines) and is_comment(lines[end]):
      end += 1
    if end < len(lines) and lines[end].strip():
      yield number + 1, line


def is_comment(line):
  return line.lstrip().startswith("//")


def goes_on(previous, line):
  """Whether the comment `line` continues that of the line before, which may stand behind code."""
  return is_comment(previous) or previous.find("//") == line.find("//")


def is_checked(path):
  return path.startswith("millrace/") and path.endswith(".h")


def check(root):
  """All problems, as lines."""
  problems = []
  for path in filter(is_checked, check_layers.repository_files(root)):
    with open(os.path.join(root, path), encoding="utf-8") as f:
      text = f.read()
    for number, line in comments(text):
      found = FIRST.match(line)
      if found:
        problems.append(
          '%s:%d: the comment begins with "%s"; write a whole sentence about what is declared, such as '
          '"Returns ..." or "The values of ..."' % (path, number, found.group(1))
        )
  return problems


def main():
  problems = check(ROOT)
  print("\n".join(problems) if problems else "comments: nothing to complain about")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
