"""Rules of the package: every public name is where its table says, and who may use what."""

import ast
import glob
import os

import package
import pair_runner

SOURCES = os.path.join(pair_runner.ROOT, "python", "millrace")
# Who may use the extension: the others use what these offer.
BINDING = ("framework/", "client/", "ops/gradients/", "ops/control_flow/", "ops/script/", "train/server.py", "scripts/")
FILES_A_FOLDER = 45
LINES_A_FILE = 480


def python_files():
  found = []
  for folder, folders, names in os.walk(SOURCES):
    folders[:] = [name for name in folders if name != "__pycache__"]
    found += [os.path.relpath(os.path.join(folder, name), SOURCES) for name in names if name.endswith(".py")]
  return sorted(found)


def imports_of(path):
  """Names of the modules that a file imports, `from a import b` being a.b."""
  with open(os.path.join(SOURCES, path), encoding="utf-8") as file:
    tree = ast.parse(file.read())
  for node in ast.walk(tree):
    if isinstance(node, ast.Import):
      yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
      yield from ("%s.%s" % (node.module, alias.name) for alias in node.names)


def test_every_public_name_is_there():
  said = package.said(
    """
from millrace.api import modules, tables
import millrace
for name, place in sorted(tables.tables().places.items()):
  try:
    modules.resolve(place)
  except Exception as error:
    print(name, place, type(error).__name__, error)
"""
  )
  assert said == ""


def test_lines_of_tables_are_names_and_places():
  seen = {}
  for path in sorted(glob.glob(os.path.join(SOURCES, "api", "*.txt"))):
    if path.endswith("absent.txt"):
      continue
    with open(path, encoding="utf-8") as file:
      for line in file:
        if line.startswith("#") or not line.strip():
          continue
        words = line.split()
        assert len(words) == 2 and words[0].startswith("tf.") and "  " in line, "%s: %s" % (path, line)
        other = seen.setdefault(words[0], words[1])
        assert other == words[1], "%s is at %s and at %s" % (words[0], other, words[1])


def test_old_names_lead_somewhere():
  said = package.said(
    """
from millrace.api.tables import tables
from millrace.scripts import old_names
import millrace
later = ("tf.nn.static", "tf.contrib")
for old, (new, _) in old_names.names().items():
  if new not in tables().places and not new.startswith(later):
    print(old, new)
"""
  )
  assert said == ""


def test_internals_lead_somewhere():
  """Each module below tensorflow.python can be imported, and has names."""
  said = package.said(
    """
import importlib
import millrace
millrace.install()
from millrace.scripts import internals
for name in sorted(internals._tables().names):
  module = importlib.import_module(name)
  if name.endswith("_pb2"):
    continue
  places = internals._tables().searched.get(name, [])
  found = 0
  for place in places:
    try:
      found += len(dir(internals._at(place))) > 0
    except ModuleNotFoundError as error:
      if not error.name.startswith("millrace."):
        raise
  if not found and places and not any(word in name for word in ("estimator", "layers", "metrics", "losses", "distributions", "feature")):
    print(name, places)
"""
  )
  assert said == ""


def test_the_extension_is_used_by_few():
  wrong = [
    "%s imports %s" % (path, name)
    for path in python_files()
    if not path.startswith(BINDING)
    for name in imports_of(path)
    if name.startswith("millrace._binding")
  ]
  assert not wrong, "\n".join(wrong)


# What a program that imports it itself shares with this package.
_OF_THE_PROGRAM = (("platform/flags/shared.py", "absl.flags"),)


def test_nobody_imports_tensorflow():
  wrong = [
    "%s imports %s" % (path, name)
    for path in python_files()
    for name in imports_of(path)
    if name.split(".")[0] in ("tensorflow", "absl", "six", "wrapt") and (path, name) not in _OF_THE_PROGRAM
  ]
  assert not wrong, "\n".join(wrong)


def test_python_3_9_reads_every_file():
  for path in python_files():
    with open(os.path.join(SOURCES, path), encoding="utf-8") as file:
      ast.parse(file.read(), path, feature_version=(3, 9))


def test_sizes():
  wrong = []
  for path in python_files():
    with open(os.path.join(SOURCES, path), encoding="utf-8") as file:
      lines = sum(1 for _ in file)
    if lines > LINES_A_FILE:
      wrong.append("%s has %d lines" % (path, lines))
  folders = {}
  for path in python_files():
    folders[os.path.dirname(path)] = folders.get(os.path.dirname(path), 0) + 1
  wrong += ["%s has %d files" % (folder, count) for folder, count in folders.items() if count > FILES_A_FOLDER]
  assert not wrong, "\n".join(wrong)


def test_every_module_says_what_it_is():
  wrong = []
  for path in python_files():
    with open(os.path.join(SOURCES, path), encoding="utf-8") as file:
      tree = ast.parse(file.read())
    if tree.body and not ast.get_docstring(tree):
      wrong.append(path)
  assert not wrong, "\n".join(wrong)
