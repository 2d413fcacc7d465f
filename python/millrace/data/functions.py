"""Functions of Python as functions of graphs, which data sets call for their elements.

A function's name has a number that counts in the process, as that of any function of TensorFlow 2 has; so names differ between
runs that make other functions before.
"""

import re
import threading

from millrace import gen
from millrace.data import element_specs
from millrace.framework import convert

_lock = threading.Lock()
_made = 0

# Ops that have state by their schema, but whose effects nobody waits for.
_NO_EFFECT = re.compile(
  r"Random|Multinomial|Dataset|^(VarHandleOp|VariableV2|Variable|IteratorV2|AnonymousIterator\w*|Placeholder\w*|\w*HashTable\w*|"
  r"\w+QueueV2|TensorArray\w*|ReadVariableOp|Timestamp|Iterator(FromStringHandle|ToStringHandle)\w*|ParameterizedTruncatedNormal|"
  r"TruncatedNormal)$"
)


def _next_number():
  global _made
  with _lock:
    _made += 1
    return _made


class GraphFunction:
  """A FunctionDef with its name, and the tensors of outside that are its last arguments."""

  grad_func_name = None

  def __init__(self, name, definition, captured, inner):
    self.name = name
    self.definition = definition
    self.captured_inputs = captured
    self._inner = inner

  def add_to_graph(self, graph):
    """Adds the function and those that it calls to a graph."""
    for function in self._inner:
      function.add_to_graph(graph)
    graph._add_function(self)


def build(name, argument_specs, body):
  """Makes a function of a graph, and adds it to the current one.

  `body` takes placeholders for the flat specs (type, shape) and returns a list of tensors. Returns a GraphFunction.
  """
  from millrace.framework import default_graphs
  from millrace.ops.gradients import function_graph

  outer = default_graphs.get_default_graph()
  graph = function_graph.FunctionGraph(name)
  with graph.as_default():
    inputs = [gen.placeholder(dtype=dtype, shape=shape, name=f"args_{i}") for i, (dtype, shape) in enumerate(argument_specs)]
    outputs = [graph.capture(t) if t.graph is not graph else t for t in body(inputs)]
    outputs = [gen.identity(t) for t in outputs]
    effects = _order_effects(graph)
  definition = function_graph.definition(graph, inputs + graph.extra_args, outputs)
  full_name = "__inference_{}_{}".format(re.sub(r"[^A-Za-z0-9_]", "_", name), _next_number())
  definition.signature.name = full_name
  kept = {node.name for node in definition.node_def}
  for op in effects:
    if op.name in kept:
      definition.control_ret[op.name] = op.name
      definition.signature.control_output.append(op.name)
  made = GraphFunction(full_name, definition, list(graph.extra_inputs), list(graph._functions.values()))
  made.add_to_graph(outer)
  return made


def _order_effects(graph):
  """Lets ops with effects on the same thing run in the order in which they were made. Returns these ops."""
  last, effects = {}, []
  for op in graph.get_operations():
    if not op._is_stateful or _NO_EFFECT.search(op.type):
      reads = [t for t in op.inputs if t.dtype.name == "resource"] if op.type == "ReadVariableOp" else []
      for handle in reads:
        before = last.get(handle)
        if before is not None and op._get_control_flow_context() is before._get_control_flow_context():
          op._add_control_input(before)
      continue
    effects.append(op)
    for key in [t for t in op.inputs if t.dtype.name == "resource"] or [None]:
      before = last.get(key)
      if before is not None and op._get_control_flow_context() is before._get_control_flow_context():
        op._add_control_input(before)
      last[key] = op
  return effects


class StructuredFunction:
  """A function of elements: it is called with the structure of an element and returns one.

  `function` is the GraphFunction, `output_structure` the structure of specs of what it returns.
  """

  def __init__(self, func, transformation_name, dataset=None, input_structure=None):
    if not callable(func):
      raise ValueError(f"Argument `func` must be a callable. Received func={func!r} (of type {type(func)})")  # noqa: TRY004 (TensorFlow's class)
    structure = dataset.element_spec if dataset is not None else input_structure
    self.output_structure = None
    inner_name = getattr(func, "__name__", None) or type(getattr(func, "func", func)).__name__
    name = "{}_{}".format(transformation_name.replace("()", "").replace(".", "_"), inner_name.replace("<lambda>", "lambda"))

    def body(tensors):
      nested = element_specs.from_tensor_list(structure, tensors)
      result = func(*nested) if type(nested) is tuple else func(nested)
      # A list is what an op with several outputs returned, not something to stack.
      if isinstance(result, list):
        result = tuple(result)
      try:
        self.output_structure = element_specs.type_spec_from_value(result)
      except (ValueError, TypeError) as error:
        raise TypeError(f"Unsupported return value from function passed to {transformation_name}: {result}.") from error
      return element_specs.to_tensor_list(self.output_structure, result)

    specs = list(zip(element_specs.flat_types(structure), element_specs.flat_shapes(structure)))
    self.function = build(name, specs, body)

  @property
  def output_types(self):
    return element_specs.legacy_types(self.output_structure)

  @property
  def output_shapes(self):
    return element_specs.legacy_shapes(self.output_structure)

  @property
  def captured_inputs(self):
    """The tensors of outside that the op with the function takes as further inputs."""
    return self.function.captured_inputs


def as_int64(value, name=None):
  """A value as an int64 tensor."""
  from millrace.framework import dtypes

  return convert.convert_to_tensor(value, dtype=dtypes.int64, name=name)
