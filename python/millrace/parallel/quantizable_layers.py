"""The layers of a graph that can be computed in 8 bits: MatMul and Conv2D of constants, and the bias and Relu behind them."""

import numpy as np

from millrace.parallel.tensorflow_in_use import tf

_LAYERS = ("MatMul", "Conv2D")
# Sums of products that have no 8-bit form here, for the report.
_OTHER_SUMS = (
  "BatchMatMul",
  "BatchMatMulV2",
  "BatchMatMulV3",
  "Conv2DBackpropInput",
  "Conv3D",
  "DepthwiseConv2dNative",
  "Einsum",
)
_ADDS = ("Add", "AddV2", "BiasAdd")
# Ops that pass bytes on as they are; the data are their first input.
_PASSING = ("Identity", "Reshape", "Squeeze", "MaxPool")
_RELUS = ("Relu", "Relu6")


def tensor_name(name):
  """The name of a tensor as inputs of nodes write it: "x", not "x:0"; of a tensor's object too."""
  name = getattr(name, "name", name)
  if not isinstance(name, str):
    raise TypeError("A tensor, or its name, is expected, not %r" % (name,))
  return name[:-2] if name.endswith(":0") else name


def node_of(name):
  """The node of an input: "x" of "x:1" and of "^x"."""
  return name.lstrip("^").partition(":")[0]


class Graph:
  """The nodes of a GraphDef and who uses them."""

  def __init__(self, graph_def, outputs):
    self.nodes = {node.name: node for node in graph_def.node}
    self.functions = graph_def.library.function
    self._outputs = {tensor_name(name) for name in outputs}
    self._users = {}
    self._waited_for = {node_of(i) for node in graph_def.node for i in node.input if i.startswith("^")}
    for node in graph_def.node:
      for name in data_inputs(node):
        self._users.setdefault(tensor_name(name), []).append(node)

  def constant(self, name):
    """The Const node behind an input, through Identity, or None. One that waits for other nodes is none."""
    node = self.nodes.get(tensor_name(name))
    while node is not None and node.op == "Identity" and len(node.input) == 1:
      node = self.nodes.get(tensor_name(node.input[0]))
    return node if node is not None and node.op == "Const" and not node.input else None

  def only_user(self, node):
    """The node that alone uses a node's result; None if there are others, or the result is an output of the graph."""
    users = self._users.get(node.name, [])
    if len(users) != 1 or node.name in self._outputs or node.name in self._waited_for:
      return None
    return users[0]


def data_inputs(node):
  return [name for name in node.input if not name.startswith("^")]


def attribute(node, key):
  """An attribute of a node, or an empty one; reading `node.attr[key]` would add what is not there."""
  return node.attr[key] if key in node.attr else tf().AttrValue()


def is_channels_last(node):
  """Whether a node's images, if it has any, have their channels in the last dimension."""
  return attribute(node, "data_format").s in (b"", b"NHWC")


def passes_bytes(node):
  """Whether an op passes bytes on as they are, from its first input. QuantizedMaxPool does, of windows of an image."""
  if node.op == "MaxPool" and not (
    _is_same_or_valid(node) and all(list(attribute(node, key).list.i)[3:] == [1] for key in ("ksize", "strides"))
  ):
    return False
  return node.op in _PASSING and is_channels_last(node) and bool(data_inputs(node))


def _is_same_or_valid(node):
  return attribute(node, "padding").s in (b"SAME", b"VALID")


def values_of(constant):
  return tf().make_ndarray(constant.attr["value"].tensor)


class Layer:
  """A MatMul or Conv2D and what follows it; `nodes` are these in their order, the last has the result.

  `weights` is the Const node of the weights, `bias` float32 numbers, one for each unit or filter, and `activation` None, "Relu"
  or "Relu6".
  """

  def __init__(self, node, weights, units):
    self.nodes = [node]
    self.weights = weights
    self.bias = np.zeros([units], np.float32)
    self.activation = None

  @property
  def node(self):
    return self.nodes[0]

  @property
  def is_conv(self):
    return self.node.op == "Conv2D"

  @property
  def is_transposed(self):
    """Whether the weights are [units, inputs]."""
    return attribute(self.node, "transpose_b").b

  @property
  def input(self):
    return tensor_name(self.node.input[0])

  @property
  def result(self):
    return self.nodes[-1].name


def find(graph, skip=()):
  """(layers, left): those that can be computed in 8 bits, and {name of a node: why it can not}, in the order of the graph."""
  layers, left = [], {}
  for function in graph.functions:
    for node in function.node_def:
      if node.op in _LAYERS:
        left["%s/%s" % (function.signature.name, node.name)] = "it is in the body of a function"
  for node in graph.nodes.values():
    if node.op in _OTHER_SUMS:
      left[node.name] = "%s has no 8-bit form here" % node.op
    elif node.op in _LAYERS:
      reason = "it is to be skipped" if node.name in skip else _reason_against(graph, node)
      if reason:
        left[node.name] = reason
      else:
        layers.append(_with_followers(graph, node))
  return layers, left


def _reason_against(graph, node):
  if attribute(node, "T").type != tf().float32.as_datatype_enum:
    return "its numbers are %s, not float32" % tf().as_dtype(attribute(node, "T").type).name
  if graph.constant(node.input[1]) is None:
    return "its weights are not a constant"
  if graph.constant(node.input[0]) is not None:
    return "its input is a constant"
  if node.op == "MatMul":
    return "its first factor is transposed" if attribute(node, "transpose_a").b else None
  if not is_channels_last(node):
    return "its data format is %s, not NHWC" % attribute(node, "data_format").s.decode()
  if not _is_same_or_valid(node):
    return "its padding is %s, not SAME or VALID" % attribute(node, "padding").s.decode()
  return None


def _with_followers(graph, node):
  weights = graph.constant(node.input[1])
  sizes = [dim.size for dim in weights.attr["value"].tensor.tensor_shape.dim]
  is_transposed = attribute(node, "transpose_b").b
  layer = Layer(node, weights, sizes[0] if is_transposed else sizes[-1])
  user = graph.only_user(node)
  bias = None if user is None else _bias(graph, user, node, len(layer.bias))
  if bias is not None:
    layer.nodes.append(user)
    layer.bias = bias
    user = graph.only_user(user)
  if user is not None and user.op in _RELUS:
    layer.nodes.append(user)
    layer.activation = user.op
  return layer


def _bias(graph, add, summed, units):
  """What `add` adds to the result of `summed`, as a number for each unit; None if it is something else."""
  if add.op not in _ADDS or not is_channels_last(add):
    return None
  first, second = data_inputs(add)
  if tensor_name(first) != summed.name:
    if add.op == "BiasAdd":
      return None
    second = first
  constant = graph.constant(second)
  if constant is None:
    return None
  values = values_of(constant)
  is_row = values.ndim > 0 and values.shape[-1] == units == values.size and values.ndim <= (4 if summed.op == "Conv2D" else 2)
  return values.reshape([units]).astype(np.float32) if is_row else None
