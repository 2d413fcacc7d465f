"""The command `millrace` of an installed package: the program that the package has takes the place of this process."""

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin", "millrace")


def main():
  """Returns only if the program cannot be run."""
  # What `millrace python` and `millrace run` start, unless --python names another one.
  os.environ["MILLRACE_PYTHON_EXECUTABLE"] = sys.executable
  try:
    os.execv(PROGRAM, ["millrace", *sys.argv[1:]])
  except OSError as error:
    sys.exit("millrace: cannot run %s: %s" % (PROGRAM, error.strerror))
