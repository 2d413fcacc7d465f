"""Which TensorFlow a program uses: this package works over the stock client as well as over Millrace's own."""

import functools
import importlib
import sys

_chosen = None


def tf():
  """The module of TensorFlow 1's API that the program uses.

  It is what `use` was told; otherwise `tensorflow.compat.v1` if the program has imported TensorFlow, which under
  `millrace python` is Millrace's; otherwise `millrace`. Ask at each use: importing this package decides nothing.
  """
  if _chosen is not None:
    return _chosen
  if "tensorflow" not in sys.modules or _is_hooked():
    return importlib.import_module("millrace")
  return importlib.import_module("tensorflow.compat.v1")


def use(module):
  """From now on `tf()` is `module`: `tensorflow.compat.v1` or `millrace`; None decides by what is imported again.

  Only programs that import both need it. Raises TypeError for what has no graphs and no optimizers.
  """
  global _chosen
  if module is not None and not (hasattr(module, "Graph") and hasattr(module, "train")):
    raise TypeError("parallel.use: %r is not TensorFlow 1's API; give tensorflow.compat.v1, millrace, or None" % (module,))
  _chosen = module


def _is_hooked():
  """Whether `import tensorflow` in this process is Millrace."""
  hook = sys.modules.get("millrace.scripts.hook")
  return hook is not None and hook.installed() is not None


class OverTensorflow:
  """Base of classes whose instances also derive from a class of the TensorFlow in use.

  A subclass names that class in `tensorflow_base`, such as "train.Optimizer", and calls its methods by `super()`. It is
  looked up when an instance is made, so that the class itself can be there before any TensorFlow is.
  """

  tensorflow_base = None

  def __new__(cls, *args, **kwargs):
    base = functools.reduce(getattr, cls.tensorflow_base.split("."), tf())
    return object.__new__(cls if issubclass(cls, base) else _joined(cls, base))


@functools.lru_cache(maxsize=None)
def _joined(cls, base):
  names = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
  return type(cls.__name__, (cls, base), names)
