"""A trained network in 8 bits: weights become bytes with a range, and layers are computed with integers.

    graph_def, report = parallel.quantized_graph(None, [logits], batches, session=session)
    print(report)
    with tf.Graph().as_default() as graph:
      tf.import_graph_def(graph_def, name="")
      with tf.Session(graph=graph) as served:
        served.run("logits:0", {"images:0": queries})

`batches` are dictionaries of feeds, such as {images: array}, with examples like those that the network will see: they show which
numbers its activations have. Names of what goes in and comes out stay what they are.
"""

import contextlib
import math
import typing

import numpy as np

from millrace.parallel import calibrated_ranges, quantizable_layers
from millrace.parallel.quantizable_layers import data_inputs, node_of, passes_bytes, tensor_name, values_of
from millrace.parallel.tensorflow_in_use import tf

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp", "VarIsInitializedOp", "ReadVariableOp", "ResourceGather")
_LEAST_RANGE = 0.01  # QuantizeV2's ensure_minimum_range
_BYTE, _SIGNED = 255.0, 127.0  # the largest numbers of quint8 and qint8


class QuantizedLayer(typing.NamedTuple):
  """A layer that is computed in 8 bits: the name of its MatMul or Conv2D, what was joined, and the bytes of its weights."""

  name: str
  ops: str
  bytes_before: int
  bytes_after: int


class Report(typing.NamedTuple):
  """What became of a network: `quantized` is a list of QuantizedLayer, `left` has {name of a node: why it stays in float}.

  The bytes are those of all constants of the graph, before and after.
  """

  quantized: list
  left: dict
  bytes_before: int
  bytes_after: int

  def __str__(self):
    lines = ["%s: %s, %s to %s bytes" % (layer.name, layer.ops, *map(_commas, layer[2:])) for layer in self.quantized]
    lines += ["%s stays in float: %s" % item for item in self.left.items()]
    return "\n".join([*lines, "constants: %s to %s bytes" % (_commas(self.bytes_before), _commas(self.bytes_after))])


def _commas(number):
  return format(number, ",")


class QuantizedGraph(typing.NamedTuple):
  graph_def: typing.Any
  report: Report


def quantized_graph(graph_def, outputs, calibration, session=None, percentile=100.0, skip=(), keep_devices=False):
  """The part of a graph that `outputs` need, with its MatMul and Conv2D layers in 8 bits: a QuantizedGraph (graph_def, report).

  `graph_def` is frozen, or `session` has the values of its variables and runs the calibration; then it may be None, for the
  session's graph. `outputs` are tensors or their names, and `calibration` dictionaries of feeds by tensor or name. `percentile`
  is how many of the values of each batch an activation's range covers: 99.99 leaves out the few that are far from all others, which
  then become the largest. Nodes that `skip` names stay in float. Without `keep_devices` the nodes lose their devices, so that any
  process can run them.

  Constant weights become qint8 with the largest of them as range, for each filter of a convolution if its result is bytes too.
  With the bias and Relu that follow, a layer is one op, and passes bytes on to the next. ValueError says what is wrong with an
  argument: an output that is not there, variables without a session, a node that takes a reference to a variable, such as one
  that updates it, no batch, numbers that are not finite, and nothing to quantize.
  """
  outputs = [outputs] if isinstance(outputs, str) or hasattr(outputs, "name") else list(outputs)
  if not outputs:
    raise ValueError('outputs is empty: name the tensors that the network is for, such as ["logits"]')
  if not 50 < percentile <= 100:
    raise ValueError("percentile is %r: give a number above 50, up to 100, which is the largest value" % (percentile,))
  frozen = _frozen(graph_def, outputs, session)
  skip = {node_of(tensor_name(name)) for name in skip}
  unknown = skip - {node.name for node in frozen.node}
  if unknown:
    raise ValueError("skip names %s, which the outputs do not need" % ", ".join(sorted(unknown)))
  graph = quantizable_layers.Graph(frozen, outputs)
  layers, left = quantizable_layers.find(graph, skip)
  names = {layer.input for layer in layers} | {layer.result for layer in layers if layer.activation}
  if not layers:
    raise ValueError("There is nothing to quantize: %s" % (left or "the graph has neither MatMul nor Conv2D"))
  with contextlib.ExitStack() as stack:
    runs = stack.enter_context(calibrated_ranges.in_process(frozen)) if session is None else session
    ranges = calibrated_ranges.find(names, calibration, runs, percentile)
  layers = _without_groups(layers, ranges, left)
  if not layers:
    raise ValueError("There is nothing to quantize: %s" % left)
  writer = _Writer(frozen, graph, layers, ranges)
  for layer in layers:
    writer.write(layer)
  writer.take_shapes_of_bytes()
  made = tf().graph_util.extract_sub_graph(writer.made, [node_of(tensor_name(name)) for name in outputs])
  for node in made.node:
    if "_class" in node.attr:
      del node.attr["_class"]  # may name a node that is not there any more
    if not keep_devices:
      node.device = ""
  quantized = [
    QuantizedLayer(layer.node.name, "+".join(node.op for node in layer.nodes), *writer.bytes_of(layer.weights.name))
    for layer in layers
  ]
  return QuantizedGraph(made, Report(quantized, left, _constant_bytes(frozen), _constant_bytes(made)))


def _without_groups(layers, ranges, left):
  """The layers without convolutions over groups of channels, which go to those that are left."""
  kept = []
  for layer in layers:
    channels = ranges.sizes[layer.input]
    if layer.is_conv and channels != layer.weights.attr["value"].tensor.tensor_shape.dim[2].size:
      left[layer.node.name] = "its filters are of groups of channels"
    else:
      kept.append(layer)
  return kept


def _frozen(graph_def, outputs, session):
  if graph_def is None:
    if session is None:
      raise ValueError("Give a graph_def, or a session with the network's graph and the values of its variables")
    graph_def = session.graph.as_graph_def()
  nodes = {node.name for node in graph_def.node}
  wanted = [node_of(tensor_name(name)) for name in outputs]
  missing = [name for name in wanted if name not in nodes]
  if missing:
    raise ValueError("outputs names %s, which the graph does not have" % ", ".join(missing))
  if session is not None:
    _check_takes_values(graph_def, wanted, session.graph)
    return tf().graph_util.convert_variables_to_constants(session, graph_def, list(dict.fromkeys(wanted)))
  frozen = tf().graph_util.extract_sub_graph(graph_def, wanted)
  variables = [node.name for node in frozen.node if node.op in _VARIABLES]
  if variables:
    raise ValueError(
      "The graph has variables (%s): give the session that has their values, or a frozen graph" % ", ".join(variables[:5])
    )
  return frozen


def _check_takes_values(graph_def, wanted, graph):
  """Raises ValueError if a node takes a reference to a variable, such as one that updates it: constants have none."""
  nodes = tf().graph_util.extract_sub_graph(graph_def, wanted).node
  variables = {node.name for node in nodes if node.op in _VARIABLES}
  ops = {op.name: op for op in graph.get_operations()}
  for node in nodes:
    op = ops.get(node.name)
    if op is None or op.type != node.op:
      continue
    for name, is_reference in zip(data_inputs(node), _takes_references(op)):
      if is_reference and node_of(name) in variables:
        raise ValueError(
          "node %s (%s) takes a reference to the variable %s: a frozen graph has only reads of variables"
          % (node.name, node.op, node_of(name))
        )


def _takes_references(op):
  """Of each input of an op, whether it is a reference."""
  found = []
  for argument in op.op_def.input_arg:
    count = op.get_attr(argument.number_attr) if argument.number_attr else 1
    if argument.type_list_attr:
      count = len(op.get_attr(argument.type_list_attr))
    found += count * [argument.is_ref]
  return found


def _constant_bytes(graph_def):
  total = 0
  for node in graph_def.node:
    if node.op == "Const":
      sizes = [dim.size for dim in node.attr["value"].tensor.tensor_shape.dim]
      total += math.prod(sizes) * (tf().as_dtype(node.attr["dtype"].type).size or 0)
  return total


class _Bytes(typing.NamedTuple):
  """A tensor of bytes: b stands for (b - zero) * step; `ends` are the names of two constants, the range if zero were 0."""

  name: str
  dtype: typing.Any
  step: float
  zero: int
  ends: list


class _Writer:
  """Writes the new GraphDef `made`: all nodes of the old one but those that layers replace, and theirs."""

  def __init__(self, frozen, graph, layers, ranges):
    self._graph = graph
    self._ranges = ranges
    self._by_result = {layer.result: layer for layer in layers}
    self._names = {node.name for node in frozen.node}
    self._written = {}  # what several layers share: names of nodes by what they are
    self._bytes_of = {}  # the names of tensors as bytes by those of the same as floats
    self._sizes = {}
    # Layers whose result is bytes that another layer takes.
    self._passing = {self._producer(layer) for layer in layers} - {None}
    for layer in layers:
      if layer.activation and layer not in self._passing and layer.activation != "Relu":
        layer.nodes.pop()  # stays in float
        layer.activation = None
    self._layer_names = {layer: self._name(layer.result + "/quantized") for layer in layers}
    replaced = {node.name for layer in layers for node in layer.nodes}
    self.made = tf().GraphDef()
    self.made.versions.CopyFrom(frozen.versions)
    self.made.library.CopyFrom(frozen.library)
    for node in frozen.node:
      if node.name not in replaced:
        self.made.node.add().CopyFrom(node)

  def bytes_of(self, weights):
    """Of weights: (bytes before, bytes after)."""
    return self._sizes[weights]

  def take_shapes_of_bytes(self):
    """Lets nodes that only ask for a shape ask bytes, so that nothing is converted for them."""
    for node in self.made.node:
      found = self._bytes_of.get(tensor_name(node.input[0])) if node.op == "Shape" else None
      if found is not None:
        node.input[0] = found
        node.attr["T"].type = tf().quint8.as_datatype_enum

  def write(self, layer):
    taken = self._bytes_in(layer)
    per_filter = layer.is_conv and layer in self._passing
    weights, low, high, sizes, sums = self._weights(layer, per_filter)
    # A byte b stands for (b - zero) * step: what the zero adds to each sum is the same for all examples.
    bias = layer.bias.astype(np.float64) - taken.zero * taken.step * sizes / _SIGNED * sums
    bias = self._constant(layer.result + "/quantized/bias", tf().float32, bias.astype(np.float32))
    inputs = [taken.name, weights, bias, *taken.ends, low, high]
    types = dict(zip(("Tinput", "Tfilter") if layer.is_conv else ("T1", "T2"), (taken.dtype, tf().qint8)))
    if layer in self._passing:
      inputs += self._range(layer.result + "/quantized/output", 0.0, self._top(layer))
      types["Tbias"] = tf().float32
      form, result = "WithBiasAndReluAndRequantize", tf().quint8
    else:
      form, result = "WithBias" + ("AndRelu" if layer.activation else ""), tf().qint32
      if form == "WithBias" and not layer.is_conv:
        types["Tbias"] = tf().float32
    self._dequantize(layer, self._layer_node(layer, form, inputs, types, result), result)

  def _dequantize(self, layer, made, dtype):
    """Floats under the name of the layer's result, for whoever takes them."""
    # In this mode TensorFlow takes all types, and loses no bits of 32-bit sums.
    node = self._node(layer.result, "Dequantize", [made, made + ":1", made + ":2"], T=dtype, mode="MIN_FIRST")
    node.device = layer.node.device

  def _layer_node(self, layer, form, inputs, types, result):
    waits = list(dict.fromkeys(name for node in layer.nodes for name in node.input if name.startswith("^")))
    name = self._layer_names[layer]
    if layer.is_conv:
      node = self._node(name, "QuantizedConv2D" + form, inputs + waits, out_type=result, **types)
      for key in ("strides", "padding", "dilations"):
        if key in layer.node.attr:
          node.attr[key].CopyFrom(layer.node.attr[key])
    else:
      node = self._node(name, "QuantizedMatMul" + form, inputs + waits, Toutput=result, **types)
    node.device = layer.node.device
    return name

  def _top(self, layer):
    """The largest number of a layer's bytes."""
    top = self._ranges.ends[layer.result][1]
    if layer.activation == "Relu6":
      top = min(top, 6.0)
    return np.float32(top if top > 0 else 1.0)

  def _producer(self, layer):
    """The layer whose bytes this one takes, or None."""
    name = layer.input
    while name not in self._by_result:
      node = self._graph.nodes.get(name)
      if node is None or not passes_bytes(node):
        return None
      name = tensor_name(node.input[0])
    producer = self._by_result[name]
    return producer if producer.activation else None

  def _bytes_in(self, layer):
    """The _Bytes that a layer takes."""
    producer = self._producer(layer)
    if producer is not None:
      top = self._top(producer)
      ends = self._range(producer.result + "/quantized/output", 0.0, top)
      return _Bytes(self._passed(layer.input, producer), tf().quint8, top / _BYTE, 0, ends)
    low, high = (np.float32(end) for end in self._ranges.ends[layer.input])
    if layer.is_conv and low < 0:
      # Around the image are zeros, so 0 has to be a number: this type has it in the middle.
      size = max(-low, high, np.float32(_LEAST_RANGE))
      name, ends = self._quantize(layer.input, "signed", -size, size, tf().qint8, "SCALED")
      return _Bytes(name, tf().qint8, size / _SIGNED, 0, ends)
    low = min(low, np.float32(0))
    high = max(high, low + np.float32(_LEAST_RANGE * max(1.0, -low, high)), np.float32(0))
    name, ends = self._quantize(layer.input, "bytes", low, high, tf().quint8, "MIN_FIRST")
    size = high - low
    if low < 0:
      ends = self._range(layer.input + "/quantized/size", 0.0, size)
    # As QuantizeV2 computes it.
    zero = math.floor(float(-low * np.float32(_BYTE / np.float64(size))) + 0.5)
    return _Bytes(name, tf().quint8, size / _BYTE, zero, ends)

  def _quantize(self, name, kind, low, high, dtype, mode):
    """Bytes of a tensor: (name, names of the ends of the range)."""
    key = (kind, name)
    ends = self._range("%s/quantized/%s" % (name, kind), low, high)
    if key not in self._written:
      made = self._name(_plain(name) + "/quantized/" + kind + "/numbers")
      node = self._node(made, "QuantizeV2", [name, *ends], T=dtype, mode=mode)
      node.device = self._graph.nodes[node_of(name)].device
      self._written[key] = made
    return self._written[key], ends

  def _passed(self, name, producer):
    """The bytes of a tensor that comes from a layer through ops that pass them on."""
    if name == producer.result:
      self._bytes_of[name] = self._layer_names[producer]
    if name not in self._bytes_of:
      node = self._graph.nodes[name]
      inner = self._passed(tensor_name(node.input[0]), producer)
      made = self._name(name + "/quantized")
      rest = list(node.input)[1:]
      if node.op == "MaxPool":
        ends = self._range(producer.result + "/quantized/output", 0.0, self._top(producer))
        copy = self._node(made, "QuantizedMaxPool", [inner, *ends, *rest], T=tf().quint8)
        for attribute in ("ksize", "strides", "padding"):
          copy.attr[attribute].CopyFrom(node.attr[attribute])
      else:
        copy = self.made.node.add()
        copy.CopyFrom(node)
        copy.name = made
        copy.input[:] = [inner, *rest]
        copy.attr["T"].type = tf().quint8.as_datatype_enum
      copy.device = node.device
      self._bytes_of[name] = made
    return self._bytes_of[name]

  def _weights(self, layer, per_filter):
    """The weights as qint8: (name, names of the ends of their ranges, the sizes of the ranges, the sums of the columns)."""
    key = ("weights", layer.weights.name, per_filter, layer.is_transposed)
    if key not in self._written:
      self._written[key] = self._write_weights(layer.weights, per_filter, layer.is_transposed)
    return self._written[key]

  def _write_weights(self, constant, per_filter, transposed):
    values = values_of(constant).astype(np.float32)
    if not np.all(np.isfinite(values)):
      raise ValueError("The weights %s have NaN or infinite numbers" % constant.name)
    if transposed:
      values = values.T
    sizes = np.abs(values).max(axis=tuple(range(values.ndim - 1)) if per_filter else None, initial=0.0).astype(np.float32)
    sizes = np.where(sizes > 0, sizes, np.float32(1))
    numbers = np.clip(np.rint(values / sizes * np.float32(_SIGNED)), -_SIGNED, _SIGNED).astype(np.int8)
    base = constant.name + "/quantized" + ("/filters" if per_filter else "/transposed" if transposed else "")
    name = self._constant(base, tf().qint8, numbers)
    low = self._constant(base + "/min", tf().float32, -sizes)
    high = self._constant(base + "/max", tf().float32, sizes)
    self._sizes[constant.name] = values.nbytes, numbers.nbytes + 2 * sizes.nbytes
    return name, low, high, sizes, numbers.reshape([-1, numbers.shape[-1]]).sum(axis=0, dtype=np.float64)

  def _range(self, base, low, high):
    """The names of two constants with the ends of a range."""
    key = ("range", base)
    if key not in self._written:
      base = _plain(base)
      self._written[key] = [
        self._constant(base + "/" + end, tf().float32, np.float32(value)) for end, value in (("min", low), ("max", high))
      ]
    return self._written[key]

  def _name(self, name):
    """The name, or, if the graph has a node of that name, one like it. Marks it as taken."""
    made, count = name, 0
    while made in self._names:
      count += 1
      made = "%s_%d" % (name, count)
    self._names.add(made)
    return made

  def _constant(self, name, dtype, values):
    values = np.asarray(values)
    node = self._node(self._name(name), "Const", [], dtype=dtype)
    tensor = node.attr["value"].tensor
    tensor.dtype = dtype.as_datatype_enum
    tensor.tensor_shape.SetInParent()
    for size in values.shape:
      tensor.tensor_shape.dim.add(size=size)
    tensor.tensor_content = np.ascontiguousarray(values).tobytes()
    return node.name

  def _node(self, name, op, inputs, **attributes):
    node = self.made.node.add()
    node.name, node.op = name, op
    node.input.extend(inputs)
    for key, value in attributes.items():
      if isinstance(value, str):
        node.attr[key].s = value.encode()
      else:
        node.attr[key].type = value.as_datatype_enum
    return node


def _plain(name):
  """The name of a tensor as that of a node."""
  return name.replace(":", "_")
