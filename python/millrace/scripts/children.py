"""Children of a program that `millrace python` runs: the same Python, started by `subprocess` or by a shell, has `tensorflow` too.

They find the folder `in_children` in $PYTHONPATH, and in $MILLRACE_CHILDREN what its sitecustomize does: the version, which Python it
is for, and where the package is. Who starts a child without these, or with -E or -I, has a Python without the package.
"""

import os
import sys

from millrace.api import modules

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_children")
VARIABLE = "MILLRACE_CHILDREN"


def follow(version):
  """From now on children of this process that are the same Python take `version` of TensorFlow from this package."""
  package = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules[modules.ROOT].__file__)))
  os.environ[VARIABLE] = os.pathsep.join([version, sys.implementation.cache_tag, os.path.realpath(sys.prefix), package])
  others = os.environ.get("PYTHONPATH", "")
  if _FOLDER not in others.split(os.pathsep):
    os.environ["PYTHONPATH"] = _FOLDER + os.pathsep + others if others else _FOLDER
