"""Runs programs in pairs, by `tensorflow.compat.v1` and by `millrace`, and compares what they build, return and raise.

`pair_runner.py FILE... [--only NAME] [--side stock|millrace] [--fresh] [--show]` prints a line a program and the first
difference of those that differ. Each side of a file runs in a process of its own; its records are kept by the contents of what
they depend on. The package is taken from $MILLRACE_PYTHON, otherwise from the folder python of $MILLRACE_BUILD, by default build/dev.
"""

import argparse
import functools
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path.insert(0, os.path.join(ROOT, "tests", "conformance"))
import forked_python  # noqa: E402

PAIRS = os.path.join(FOLDER, "pairs")
# Programs of this folder use what TensorFlow 2.16 took away; stock is the last version that has it.
LIBRARIES = os.path.join(PAIRS, "libraries")
STOCK_OF_LIBRARIES = {
  "python": os.path.join(ROOT, ".venv_libraries", "bin", "python"),
  "modules": ["tensorflow.compat.v1", "keras", "tensorflow_estimator", "tf_slim"],
}
CACHE = os.path.join(ROOT, "build", "python_pairs")
SECONDS = 900  # for all programs of a file


def package_folder():
  """The folder that holds the package `millrace`."""
  build = os.environ.get("MILLRACE_BUILD") or os.path.join(ROOT, "build", "dev")
  return os.environ.get("MILLRACE_PYTHON") or os.path.join(build, "python")


@functools.lru_cache
def _fingerprint_of_package():
  """Changes when anything of Millrace's package does, from one run to the next."""
  digest = hashlib.sha256()
  for folder, folders, names in os.walk(os.path.join(package_folder(), "millrace"), followlinks=True):
    folders.sort()
    for name in sorted(names):
      path = os.path.join(folder, name)
      if name.endswith((".py", ".txt")):
        with open(path, "rb") as file:
          digest.update(file.read())
      elif name.endswith(".so"):
        status = os.stat(path)
        digest.update(b"%d %d" % (status.st_size, status.st_mtime_ns))
  return digest.hexdigest()


def _cache_path(side, path, names):
  digest = hashlib.sha256()
  for source in [path, os.path.join(FOLDER, "pair_side.py")]:
    with open(source, "rb") as file:
      digest.update(file.read())
  digest.update(repr((side, sorted(names))).encode())
  if side == "millrace":
    digest.update(_fingerprint_of_package().encode())
  return os.path.join(CACHE, "%s.%s.%s" % (os.path.basename(path), side, digest.hexdigest()[:16]))


def _read(path):
  """Records by name; a program that began and did not end has the record None."""
  found = {}
  try:
    with open(path, "rb") as file:
      while True:
        record = pickle.load(file)
        if "begin" in record:
          found[record["begin"]] = None
        else:
          found[record["name"]] = record
  except (EOFError, FileNotFoundError):
    pass
  return found


def _of_libraries(path):
  return os.path.dirname(os.path.abspath(path)) == LIBRARIES


def _run(words, side, folder):
  """Runs a Python program to its end; returns how it ended and what it said. That of stock is forked from a process which has
  imported TensorFlow."""
  of_libraries = _of_libraries(words[2])
  with open(os.path.join(folder, "said"), "w+", encoding="utf-8", errors="replace") as said:
    if side == "stock":
      process = forked_python.start(words, stdout=said, stderr=said, **(STOCK_OF_LIBRARIES if of_libraries else {}))
    else:
      environment = dict(os.environ)
      environment["PYTHONPATH"] = os.pathsep.join([package_folder()] + environment.get("PYTHONPATH", "").split(os.pathsep))
      python = STOCK_OF_LIBRARIES["python"] if of_libraries else sys.executable
      process = subprocess.Popen([python, *words], env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
      process.wait(SECONDS)
      ended = "ended with code %d" % process.returncode
    except subprocess.TimeoutExpired:
      process.kill()
      process.wait()
      ended = "did not end in %d s" % SECONDS
    said.seek(0)
    return ended, said.read()


def run_side(side, path, names=(), fresh=False):
  """Returns the records of the programs of a file by name, from the cache if it has them."""
  path = os.path.abspath(path)
  cached = _cache_path(side, path, names)
  if os.path.exists(cached) and not fresh:
    return _read(cached)
  os.makedirs(CACHE, exist_ok=True)
  records = {}
  wanted = list(names)
  while True:
    with tempfile.TemporaryDirectory() as folder:
      out = os.path.join(folder, "records")
      ended, said = _run([os.path.join(FOLDER, "pair_side.py"), side, path, out, *wanted], side, folder)
      got = _read(out)
    crashed = [name for name, record in got.items() if record is None]
    if not got and "ended with code 0" not in ended:
      raise RuntimeError("%s side of %s %s:\n%s" % (side, path, ended, said[-4000:]))
    for name in crashed:
      got[name] = {"name": name, "crash": "the process %s:\n%s" % (ended, said[-2000:])}
    records.update(got)
    if not crashed:
      break
    wanted = [name for name in (names or program_names(path)) if name not in records]
    if not wanted:
      break
  if not any("crash" in record for record in records.values()):
    with open(cached + ".new", "wb") as file:
      for record in records.values():
        pickle.dump(record, file)
    os.replace(cached + ".new", cached)
  return records


def program_names(path):
  """Names of the programs of a file without running it."""
  import ast

  with open(path, encoding="utf-8") as file:
    tree = ast.parse(file.read())
  return [
    node.name[len("program_") :] for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("program_")
  ]


def run_all(paths):
  """Runs both sides of several files, as many at once as there are processors, so that comparing them finds the records."""
  from concurrent.futures import ThreadPoolExecutor

  with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
    jobs = [threads.submit(run_side, side, path) for path in paths for side in ("stock", "millrace")]
    for job in jobs:
      job.exception()  # which comparing the file raises again


def _options_of_file(path):
  """Of libraries, which compose ops as they like, only values count, unless the file says `GRAPHS = True`."""
  if not _of_libraries(path):
    return {}
  with open(path, encoding="utf-8") as file:
    graphs = "\nGRAPHS = True\n" in file.read()
  return {"values_only": not graphs, "rtol": 1e-5, "atol": 1e-6}


def compare_file(path, names=(), fresh=False):
  """Returns for each program of a file (name, None or a text that says the first difference)."""
  import pair_compare

  stock, ours = run_side("stock", path, names, fresh), run_side("millrace", path, names, fresh)
  options, whole = pair_compare.options_of(path), _options_of_file(path)
  return [
    (name, pair_compare.difference(stock.get(name), ours.get(name), {**whole, **options.get(name, {})}))
    for name in program_names(path)
    if not names or name in names
  ]


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("files", nargs="+")
  parser.add_argument("--only", action="append", default=[])
  parser.add_argument("--side", choices=["stock", "millrace"])
  parser.add_argument("--fresh", action="store_true")
  parser.add_argument("--show", action="store_true", help="print the graphs and values of one side")
  options = parser.parse_args()
  sys.path.insert(0, FOLDER)
  import pair_compare

  agreed = total = 0
  for path in options.files:
    if options.side:
      for name, record in run_side(options.side, path, options.only, options.fresh).items():
        print(pair_compare.shown(name, record, options.show))
      continue
    for name, text in compare_file(path, options.only, options.fresh):
      total += 1
      agreed += text is None
      print("%s %s:%s" % ("agree " if text is None else "DIFFER", os.path.basename(path), name))
      if text is not None:
        print("  " + text.replace("\n", "\n  "))
  if not options.side:
    print("%d of %d programs agree" % (agreed, total))
  return 0 if options.side or agreed == total else 1


if __name__ == "__main__":
  sys.exit(main())
