"""The default graph: of a thread by `with graph.as_default()`, otherwise one of the process."""

import threading

from millrace import _binding


class _Stack(threading.local):
  def __init__(self):
    self.graphs = []
    self.devices = []  # the list of each graph's devices when it was entered, which later ones are put into


_stack = _Stack()
_lock = threading.Lock()
_of_process = None


class AsDefault:
  """What `graph.as_default()` returns: within it, the graph is the default one of this thread."""

  __slots__ = ("_graph",)

  def __init__(self, graph):
    self._graph = graph

  def __enter__(self):
    _stack.graphs.append(self._graph)
    _stack.devices.append(self._graph._current_stacks.devices)
    _binding.set_current_graph(self._graph)
    return self._graph

  def __exit__(self, kind, value, trace):
    graphs = _stack.graphs
    if not graphs or graphs[-1] is not self._graph:
      if kind is None:
        raise AssertionError("Nesting violated for default stack of %s objects" % type(self._graph))
      if self._graph in graphs:
        del _stack.devices[graphs.index(self._graph)]
        graphs.remove(self._graph)
    else:
      graphs.pop()
      _stack.devices.pop()
    _binding.set_current_graph(graphs[-1] if graphs else None)
    return False


def get_default_graph():
  """Returns the default graph of this thread, or the one of the process, which is made now if there is none yet."""
  graphs = _stack.graphs
  if graphs:
    return graphs[-1]
  global _of_process
  if _of_process is None:
    from millrace.framework.graph import Graph

    with _lock:
      if _of_process is None:
        _of_process = Graph()
  return _of_process


def devices_of_variables(graph):
  """The devices in force where a variable is made, which are lifted out of functions: those of the default graph, or, where a
  colocation hides them, those that its `with graph.as_default()` is in or has within it."""
  devices = graph._current_stacks.devices
  for entered, outer in zip(reversed(_stack.graphs), reversed(_stack.devices)):
    devices = devices or outer
    if not entered.building_function:
      break
  return devices


def has_default_graph():
  """True within `with graph.as_default()`."""
  return bool(_stack.graphs)


def reset_default_graph():
  """Puts a new graph in the place of the process's default one. Raises AssertionError within `with graph.as_default()`."""
  if _stack.graphs:
    raise AssertionError(
      "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting and create a new "
      "graph."
    )
  global _of_process
  _of_process = None
