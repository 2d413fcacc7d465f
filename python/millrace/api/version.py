"""What the package says about itself."""

import os
import re

# The API is that of this version of TensorFlow.
VERSION = "1.15.0"
GIT_VERSION = "v1.15.0-millrace"
COMPILER_VERSION = "GCC"
CXX11_ABI_FLAG = 1
MONOLITHIC_BUILD = 0
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0


def _package_version():
  """The version of the installed package, or of the source tree that this file is in."""
  root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
  try:
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
      found = re.search(r"project\(millrace VERSION ([0-9.]+)", file.read())
    if found:
      return found.group(1)
  except OSError:
    pass
  from importlib import metadata

  try:
    return metadata.version("millrace")
  except metadata.PackageNotFoundError:
    return "0"


__version__ = _package_version()
