"""The function that makes the data set of a one-shot iterator: a copy of the nodes that the data set depends on."""

import re

from millrace.data.functions import GraphFunction
from millrace.framework import default_graphs, seeds
from millrace.ops.gradients import function_graph, function_names

# Ops that make data sets count as ops with state in their schemas, but they have none.
_SOURCES = re.compile(r"Dataset(V\d+)?$")


def _sorted_ancestors(op):
  """The ops whose values an op depends on, itself the last, in the order in which they were made. Checks it waits for are left out."""
  found, waiting = {}, [op]
  while waiting:
    one = waiting.pop()
    if one in found:
      continue
    found[one] = True
    waiting.extend(value.op for value in one.inputs)
  return sorted(found, key=lambda one: one._id)


def _refuse(what, op):
  raise ValueError(
    "Cannot capture a {}{} (name:{}, type:{}) by value.: A likely cause of this error is that the dataset for which you are calling "
    "`make_one_shot_iterator()` captures a stateful object, such as a `tf.Variable` or `tf.lookup.StaticHashTable`, which is not "
    "supported. Use `make_initializable_iterator()` instead.".format(
      what, " node" if what == "stateful" else "", op.name, op.type
    )
  )


class _Body:
  """Some operations of a graph, as what a definition of a function is made of."""

  def __init__(self, graph, ops):
    self._graph, self._ops = graph, ops

  def get_operations(self):
    return self._ops

  def as_graph_def(self):
    return self._graph.as_graph_def()


def factory(dataset):
  """Returns the function without arguments that makes a data set. Raises ValueError if the data set depends on state."""
  variant = dataset._variant_tensor
  graph = default_graphs.get_default_graph()
  # TensorFlow draws a seed for the function; ops after it count on that.
  seeds.get_seed(None)
  ops = _sorted_ancestors(variant.op)
  for op in ops:
    if op.type in ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault"):
      _refuse("placeholder", op)
    if op._is_stateful and not _SOURCES.search(op.type):
      _refuse("stateful", op)
  made = function_graph.definition(_Body(graph, ops), [], [variant])
  name = "_make_dataset_" + function_names.suffix(made)
  made.signature.name = name
  made.attr["_disable_call_shape_inference"].b = True
  function = GraphFunction(name, made, [], [])
  function.add_to_graph(graph)
  return function
