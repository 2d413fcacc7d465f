#!/usr/bin/env python3
"""Links every entry of one folder from another: python_links.py SOURCES BUILD.

Other entries of BUILD, such as what the build itself puts there, stay; links to entries that SOURCES no longer has go.
"""

import os
import sys


def link(sources, build):
  os.makedirs(build, exist_ok=True)
  names = {name for name in os.listdir(sources) if not name.startswith((".", "__pycache__"))}
  for name in os.listdir(build):
    path = os.path.join(build, name)
    if os.path.islink(path) and name not in names:
      os.unlink(path)
  for name in sorted(names):
    path, target = os.path.join(build, name), os.path.join(sources, name)
    if os.path.islink(path) and os.readlink(path) == target:
      continue
    if os.path.lexists(path):
      os.unlink(path)
    os.symlink(target, path)


if __name__ == "__main__":
  link(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
