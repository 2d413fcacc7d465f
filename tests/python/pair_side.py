"""One side of the pairs: runs the programs of a file with TensorFlow's package or with Millrace's and writes what came out.

`pair_side.py stock|millrace FILE OUT [NAME...]` appends to OUT one pickle a program: a dictionary that holds plain data only.
"""

import importlib.util
import os
import pickle
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
PREFIX = "program_"


def import_side(side):
  """Returns the module that programs get as `tf`."""
  if side == "stock":
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
  else:
    import millrace as tf
  return tf


class Marker:
  """Where the first gradient began: the number of nodes of the graph then. None if no call asked for gradients."""

  def __init__(self, tf):
    self.graph = None
    self.nodes = None
    self._wrap(tf, "gradients")

  def _wrap(self, tf, name):
    inner = getattr(tf, name)

    def gradients(*args, **kwargs):
      self.mark(tf.get_default_graph())
      return inner(*args, **kwargs)

    setattr(tf, name, gradients)

  def mark(self, graph):
    if self.nodes is None or self.graph is not graph:
      self.graph, self.nodes = graph, len(graph.get_operations())


def plain(value, depth=0):
  """Plain data of a value that a program returned: tuples whose first element says what it is."""
  import numpy as np

  if isinstance(value, BaseException):
    return ("error", type(value).__name__, str(value))
  if isinstance(value, (str, bytes, bool, int, float, complex, type(None))) and not isinstance(value, np.generic):
    return ("python", value)
  if isinstance(value, (np.ndarray, np.generic)):
    array = np.asarray(value)
    kind = "array" if isinstance(value, np.ndarray) else "scalar"
    if array.dtype == object:
      return (kind, "object", array.shape, [plain(element, depth + 1) for element in array.reshape(-1)])
    return (kind, str(array.dtype), array.shape, np.ascontiguousarray(array).tobytes())
  if isinstance(value, dict):
    return ("dict", [(plain(key, depth + 1), plain(element, depth + 1)) for key, element in value.items()])
  if isinstance(value, (list, tuple)):
    return (type(value).__name__, [plain(element, depth + 1) for element in value])
  if isinstance(value, (set, frozenset)):
    return ("set", sorted(repr(element) for element in value))
  if hasattr(value, "DESCRIPTOR") and hasattr(value, "SerializeToString"):
    if value.DESCRIPTOR.name == "GraphDef":
      return ("graph", value.SerializeToString())
    return ("message", value.DESCRIPTOR.name, str(value))
  return ("text", type(value).__name__, str(value))


def collections_of(graph):
  """Names of what is in each collection of a graph, in order."""
  found = {}
  for key in graph.get_all_collection_keys():
    found[str(key)] = [str(getattr(item, "name", type(item).__name__)) for item in graph.get_collection(key)]
  return found


def run_program(tf, function):
  """Returns the plain record of one program."""
  tf.reset_default_graph()
  marker = tf._pair_marker
  marker.graph = marker.nodes = None
  record = {"name": function.__name__[len(PREFIX) :], "values": None, "error": None}
  start = time.perf_counter()
  graph = tf.get_default_graph()
  try:
    record["values"] = plain(function(tf))
  except Exception as error:  # which the sides have to agree about
    import traceback

    record["error"] = (type(error).__name__, str(error), traceback.format_exc())
  record["seconds"] = time.perf_counter() - start
  try:
    record["graph"] = graph.as_graph_def().SerializeToString()
    record["collections"] = collections_of(graph)
  except Exception as error:
    record["graph"], record["collections"] = None, {}
    record["graph_error"] = "%s: %s" % (type(error).__name__, error)
  record["nodes_before_gradients"] = marker.nodes if marker.graph is graph else None
  return record


def load(path):
  """Returns the module of a file of programs."""
  sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
  spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
  module = importlib.util.module_from_spec(spec)
  sys.modules[spec.name] = module
  spec.loader.exec_module(module)
  return module


def programs(module):
  """The functions of a module that are programs, in the order of the file."""
  found = [f for name, f in vars(module).items() if name.startswith(PREFIX) and callable(f)]
  return sorted(found, key=lambda f: f.__code__.co_firstlineno)


def main(side, path, out, names):
  os.chdir(os.path.dirname(out))
  tf = import_side(side)
  tf._pair_marker = Marker(tf)
  module = load(path)
  for function in programs(module):
    if names and function.__name__[len(PREFIX) :] not in names:
      continue
    with open(out, "ab") as file:
      pickle.dump({"begin": function.__name__[len(PREFIX) :]}, file)
    record = run_program(tf, function)
    with open(out, "ab") as file:
      pickle.dump(record, file)


if __name__ == "__main__":
  main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
