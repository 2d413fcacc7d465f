"""Starts Python with the package of the build: alone, with TensorFlow's package, or as a script that runs unchanged."""

import os
import subprocess
import sys

import pair_runner


def environment():
  found = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
  found["PYTHONPATH"] = os.pathsep.join([pair_runner.package_folder()] + found.get("PYTHONPATH", "").split(os.pathsep))
  return found


def python(*words, cwd=None, timeout=120, **kwargs):
  """Runs `python words...` and returns the ended process with its texts."""
  return subprocess.run(
    [sys.executable, *words], env=environment(), cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False, **kwargs
  )


def said(program, *options, timeout=120):
  """What a program's text prints. An error fails the test."""
  ran = python(*options, "-c", program, timeout=timeout)
  assert ran.returncode == 0, ran.stderr
  return ran.stdout


def script(folder, text, *words, options=()):
  """Runs a script unchanged: `python -m millrace script.py words...`."""
  path = os.path.join(str(folder), "script.py")
  with open(path, "w", encoding="utf-8") as file:
    file.write(text)
  return python("-m", "millrace", *options, path, *words, cwd=str(folder))
