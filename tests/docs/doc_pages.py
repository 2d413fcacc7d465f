"""The pages of the documentation, and the blocks of code in them."""

import os
import re
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Made by hand, with the pages of the root. Reports and records of what was tried are no instructions.
NOT_PAGES = ("docs/performance.md",)
# What their blocks need, a test of their own sets up.
RUN_BY_TESTS = {"docs/guide_python.md": "tests/python/test_new_user.py"}
BLOCK = re.compile(r"^(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)


class Block(NamedTuple):
  language: str
  code: str
  reason: str  # why it does not run; empty: it does


def read(path):
  with open(os.path.join(ROOT, path), encoding="utf-8") as f:
    return f.read()


def pages():
  """Paths of docs/**/*.md and of the pages at the root."""
  found = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
  for base, folders, names in os.walk(os.path.join(ROOT, "docs")):
    folders.sort()
    found += [os.path.relpath(os.path.join(base, n), ROOT) for n in sorted(names) if n.endswith(".md")]
  return [p for p in found if p not in NOT_PAGES]


def readmes():
  """Paths of the READMEs below the root."""
  found = []
  for top in ("millrace", "tests", "examples", "benchmarks"):
    for base, folders, names in os.walk(os.path.join(ROOT, top)):
      folders.sort()
      if "README.md" in names:
        found.append(os.path.relpath(os.path.join(base, "README.md"), ROOT))
  return found


def blocks(path):
  return [Block(m["language"], m["code"], m["reason"] or "") for m in BLOCK.finditer(read(path))]


def runnable(path, languages):
  return [b for b in blocks(path) if b.language in languages and not b.reason]


def script_of(path):
  """A page's blocks as one script, in their order."""
  lines = ["set -eu -o pipefail", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
  for block in runnable(path, ("bash", "python")):
    lines.append(block.code if block.language == "bash" else "python3 - <<'PYTHON_BLOCK'\n%sPYTHON_BLOCK" % block.code)
  return "\n".join(lines) + "\n"


def prose(path):
  """A page's text without its blocks of code."""
  return re.sub(r"^```.*?^```$", "", read(path), flags=re.M | re.S)
