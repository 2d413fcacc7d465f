"""How many float operations the ops of a type need, by the shapes of what they read and give."""

import functools
import math

_functions = {}


class RegisterStatistics:
  """Decorates a function of (graph, NodeDef) that returns the OpStats of nodes of an op type, such as "flops".

  Raises KeyError if there is one already.
  """

  def __init__(self, op_type, statistic_type):
    if not isinstance(op_type, str):
      raise TypeError("op_type must be a string.")
    if "," in op_type:
      raise TypeError("op_type must not contain a comma.")
    if not isinstance(statistic_type, str):
      raise TypeError("statistic_type must be a string.")
    if "," in statistic_type:
      raise TypeError("statistic_type must not contain a comma.")
    self._key = (op_type, statistic_type)

  def __call__(self, function):
    if self._key in _functions:
      raise KeyError("Registering two statistics with name %r!" % ",".join(self._key))
    _functions[self._key] = function
    return function


class OpStats:
  """A statistic of an op: its type, and its value or None."""

  def __init__(self, statistic_type, value=None):
    self.statistic_type = statistic_type
    self.value = value

  @property
  def statistic_type(self):
    return self._statistic_type

  @statistic_type.setter
  def statistic_type(self, statistic_type):
    self._statistic_type = statistic_type

  @property
  def value(self):
    return self._value

  @value.setter
  def value(self, value):
    self._value = value

  def __iadd__(self, other):
    if other.statistic_type != self.statistic_type:
      raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
    if self.value is None:
      self.value = other.value
    elif other.value is not None:
      self._value += other.value
    return self


def get_stats_for_node_def(graph, node, statistic_type):
  """Returns the OpStats of a node of a graph; without a value where nothing is known of its type.

  Raises ValueError if its shapes are not known.
  """
  function = _functions.get((node.op, statistic_type))
  if function is not None:
    return function(graph, node)
  known = _FORMULAS.get(node.op) if statistic_type == "flops" else None
  if known is None:
    return OpStats(statistic_type)
  return OpStats(statistic_type, known(graph.get_operation_by_name(node.name)))


def _shape(tensor):
  """The sizes of a tensor. Raises ValueError unless all are known."""
  shape = tensor.shape
  if not shape.is_fully_defined():
    raise ValueError(f"Shape {shape} is not fully defined")
  return shape.as_list()


def _size(tensor):
  return math.prod(_shape(tensor))


def _outputs(factor, op):
  """So many for each element of the result."""
  return factor * _size(op.outputs[0])


def _reduction(op, finish=0):
  """One for each element that is added to another, and `finish` for each element of the result."""
  given, left = _size(op.inputs[0]), _size(op.outputs[0])
  return given - left + left * finish


def _matmul(op):
  """A multiplication and an addition for each element of a row, for each element of the result."""
  rows = _shape(op.inputs[0])
  transposed = "transpose_a" in op.node_def.attr and op.get_attr("transpose_a")
  return 2 * _size(op.outputs[0]) * rows[-2 if transposed else -1]


def _window(op, filter_shape, factor=2):
  """`factor` for each element of the result and of a filter without its last dimension."""
  return factor * _size(op.outputs[0]) * math.prod(filter_shape)


def _pool(op, result, factor=1, more=0):
  """`factor` for each element of a window and of the result of the pooling."""
  return _size(result) * (math.prod(op.get_attr("ksize")) * factor + more)


def _conv_gradient(op, image, filter_shape):
  """That of the convolution whose gradient it is, by the size of its image, also where the filter is at the borders."""
  strides = op.get_attr("strides")
  data_format = op.get_attr("data_format")
  data_format = data_format.decode() if isinstance(data_format, bytes) else data_format
  step = math.prod(strides[1:3] if data_format == "NHWC" else strides[2:4])
  height, width, _, channels = filter_shape
  return 2.0 * _size(image) * height * width * channels / step


_ONE = ["Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "BiasAdd"]
_ONE += ["Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow"]
_ONE += ["GreaterEqual", "Greater", "LessEqual", "Less", "Equal", "NotEqual"]

_FORMULAS = {name: functools.partial(_outputs, 1) for name in _ONE}
_FORMULAS.update(
  Rsqrt=functools.partial(_outputs, 2),
  SquaredDifference=functools.partial(_outputs, 2),
  RsqrtGrad=functools.partial(_outputs, 4),
  Softmax=functools.partial(_outputs, 5),
  L2Loss=lambda op: 3 * _size(op.inputs[0]) - 1,
  AddN=lambda op: (len(op.inputs) - 1) * _size(op.inputs[0]),
  Sum=_reduction,
  Mean=functools.partial(_reduction, finish=1),
  ArgMax=_reduction,
  ArgMin=_reduction,
  BiasAddGrad=_reduction,
  MatMul=_matmul,
  QuantizedMatMul=_matmul,
  BatchMatMul=_matmul,
  BatchMatMulV2=_matmul,
  BatchMatMulV3=_matmul,
  Conv2D=lambda op: _window(op, _shape(op.inputs[1])[:-1]),
  Conv3D=lambda op: _window(op, _shape(op.inputs[1])[:-1]),
  DepthwiseConv2dNative=lambda op: _window(op, _shape(op.inputs[1])[:2]),
  Dilation2D=lambda op: _window(op, _shape(op.inputs[1])[:2]),
  Conv2DBackpropInput=lambda op: _conv_gradient(op, op.outputs[0], _shape(op.inputs[1])),
  Conv2DBackpropFilter=lambda op: _conv_gradient(op, op.inputs[0], _shape(op.outputs[0])),
  AvgPool=lambda op: _pool(op, op.outputs[0]),
  MaxPool=lambda op: _pool(op, op.outputs[0]),
  AvgPoolGrad=lambda op: _pool(op, op.inputs[1], factor=2),
  MaxPoolGrad=lambda op: _pool(op, op.inputs[1], more=1),
)
