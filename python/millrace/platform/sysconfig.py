"""tf.sysconfig: where headers and libraries of the installed package are."""

import os


def _package():
  return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def get_include():
  """Returns the folder of headers for programs in C++."""
  return os.path.join(_package(), "include")


def get_lib():
  """Returns the folder of the shared library."""
  return _package()


def get_compile_flags():
  return ["-I%s" % get_include(), "-D_GLIBCXX_USE_CXX11_ABI=1", "--std=c++20"]


def get_link_flags():
  return ["-L%s" % get_lib(), "-lmillrace"]


def get_build_info():
  """Returns what the package was built with."""
  return {"is_cuda_build": False, "is_rocm_build": False}
