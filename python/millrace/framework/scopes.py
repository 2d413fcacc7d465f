"""What surrounds the making of ops, for the default graph: name scopes, devices, colocation, control dependencies, containers."""

import contextlib

from millrace.framework import graph_contexts
from millrace.framework.default_graphs import devices_of_variables, get_default_graph


def strip_name_scope(name, export_scope):
  """Removes a leading scope from a name: "a/b/c" without "a" is "b/c". Colocation "loc:@a/x" and "^a/x" keep their marks."""
  if not export_scope:
    return name
  if export_scope[-1] == "/":
    export_scope = export_scope[:-1]
  mark, bare = _split_mark(name)
  return mark + bare[len(export_scope) + 1 :] if bare.startswith(export_scope + "/") else name


def prepend_name_scope(name, import_scope):
  """Puts a scope before a name: "c" in "a" is "a/c". Colocation "loc:@x" and "^x" keep their marks."""
  if not import_scope:
    return name
  if import_scope[-1] == "/":
    import_scope = import_scope[:-1]
  mark, bare = _split_mark(name)
  return mark + import_scope + "/" + bare


def _split_mark(name):
  text = name.decode() if isinstance(name, bytes) else name
  for mark in ("loc:@", "^"):
    if text.startswith(mark):
      return mark, text[len(mark) :]
  return "", text


def name_from_scope_name(name):
  """The name of an op that has the name of a scope: "a/" is "a"."""
  return name[:-1] if name and name[-1] == "/" else name


def _graph_element(value):
  convert = getattr(value, "_as_graph_element", None)
  return convert() if convert else None


def _get_graph_from_inputs(op_input_list, graph=None):
  """Returns the graph of the tensors and operations in a list, or the default graph if there are none.

  Raises ValueError if they are of several graphs, or not of `graph`.
  """
  from millrace.framework.operation import Operation
  from millrace.framework.tensor import Tensor

  current = get_default_graph()
  if current.building_function:
    return current
  first = None
  for item in op_input_list:
    element = item if isinstance(item, (Operation, Tensor)) else _graph_element(item)
    if element is None:
      element = item if hasattr(item, "_component_graph") else None
    if element is None:
      continue
    if graph is None:
      graph, first = element.graph, element
    elif first is not None:
      if element.graph is not first.graph:
        raise ValueError(
          "%s must be from the same graph as %s (graphs are %s and %s)." % (element, first, element.graph, first.graph)
        )
    elif element.graph is not graph:
      raise ValueError("%s is not from the passed-in graph." % element)
  return graph or current


class name_scope:
  """A context in which new ops have a common prefix in their names; enters as the prefix, "a/b/".

  `name` is the scope's name, or `default_name` if it is None; the graph is that of the tensors in `values`, otherwise the default
  one, which it is within. A name that ends with "/" is entered again.
  """

  def __init__(self, name, default_name=None, values=None):
    if not (default_name is None or isinstance(default_name, str)):
      raise TypeError(
        "`default_name` type (%s) is not a string type. You likely meant to pass this into the `values` kwarg."
        % type(default_name)
      )
    self._name = default_name if name is None else name
    self._default_name = default_name
    self._values = values
    self._default = None

  @property
  def name(self):
    return self._name

  def __enter__(self):
    if self._name is None and self._values is not None:
      raise ValueError("At least one of name (%s) and default_name (%s) must be provided." % (self._name, self._default_name))
    graph = _get_graph_from_inputs(self._values) if self._values else get_default_graph()
    if graph is not get_default_graph():
      self._default = graph.as_default()
      self._default.__enter__()
    try:
      self._scope = graph.name_scope(self._name)
      return self._scope.__enter__()
    except BaseException as error:
      if self._default:
        self._default.__exit__(type(error), error, None)
      raise

  def __exit__(self, kind, value, trace):
    self._scope.__exit__(kind, value, trace)
    if self._default:
      default, self._default = self._default, None
      default.__exit__(kind, value, trace)
    return False


@contextlib.contextmanager
def op_scope(values, name, default_name=None):
  """DEPRECATED. The same as name_scope() above, just different argument order."""
  with name_scope(name, default_name=default_name, values=values) as scope:
    yield scope


def device(device_name_or_function):
  """A context in which new ops request a device: a name, a function from an Operation to a name, or None to hide outer ones."""
  return get_default_graph().device(device_name_or_function)


def colocate_with(op, ignore_existing=False):
  """A context in which new ops are placed with `op`."""
  return get_default_graph().colocate_with(op, ignore_existing)


def control_dependencies(control_inputs):
  """A context in which new ops run after these operations and tensors; None hides the outer ones."""
  return get_default_graph().control_dependencies(control_inputs)


def container(container_name):
  """A context in which new variables and queues live in this container."""
  return get_default_graph().container(container_name)


@contextlib.contextmanager
def init_scope():
  """A context outside of control flow, control dependencies and functions that are being built; name scopes stay.

  Devices that a colocation hides hold again, so that a setter of devices counts variables that are colocated, as TensorFlow's does:
  replicas of both kinds agree where a variable is.
  """
  graph = get_default_graph()
  devices = devices_of_variables(graph)
  outermost = graph
  while outermost.building_function and getattr(outermost, "outer_graph", None) is not None:
    outermost = outermost.outer_graph
  scope = graph.get_name_scope()
  scope = scope + "/" if scope and scope[-1] != "/" else scope
  with outermost.as_default(), name_scope(scope or None), control_dependencies(None):
    if devices is outermost._current_stacks.devices:
      yield
      return
    with graph_contexts.Devices(outermost, devices):
      yield


def outside_of_branches():
  """A context like init_scope in conditionals, loops and functions that are being built; elsewhere control dependencies stay."""
  graph = get_default_graph()
  if graph.building_function or graph._get_control_flow_context() is not None:
    return init_scope()
  return NullContextmanager()


class NullContextmanager:
  """A context that does nothing."""

  def __init__(self, *args, **kwargs):
    pass

  def __enter__(self):
    pass

  def __exit__(self, kind, value, trace):
    return False
