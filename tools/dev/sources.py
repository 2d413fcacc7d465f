"""The files of the repository, and the declarations in them."""

import os
import re
import sys

from console import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
import check_comments  # noqa: E402
import check_layers  # noqa: E402
import check_op_names  # noqa: E402
import check_unused  # noqa: E402


CHECKS = (check_layers, check_op_names, check_unused, check_comments)


def text_problems():
  """Returns the problems that the checks of the sources' text find, as lines."""
  return [problem for check in CHECKS for problem in check.check(ROOT)]


def layers_problems(folders):
  """Returns the problems of the rooms' rules that the files below some folders have, as lines: in a second or two."""
  return check_layers.check(ROOT, [p for p in cxx_files() if p.startswith(tuple(f + "/" for f in folders))])


def cxx_files():
  return list(check_layers.repository_files(ROOT))


def python_files():
  return [path for folder in [*check_layers.FOLDERS, "cmake"] for path in _python_below(folder)]


def _python_below(top):
  for base, folders, files in os.walk(os.path.join(ROOT, top)):
    folders[:] = sorted(d for d in folders if not d.startswith((".", "__")))
    for name in sorted(files):
      if name.endswith(".py"):
        yield os.path.relpath(os.path.join(base, name), ROOT)


def read(path):
  with open(os.path.join(ROOT, path), encoding="utf-8") as f:
    return f.read()


def ops_declared(paths):
  """Returns the names of the ops that these files of millrace/ops declare in any facet."""
  names = set()
  for path in paths:
    names.update(re.findall(r"^MR_(?:OP|CASES|KERNELS|GRADIENT)\((\w+)", read(path), re.M))
  return sorted(names)


def suites_declared(path):
  """Returns GoogleTest's suites of a file."""
  return sorted(set(re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)", read(path), re.M)))
