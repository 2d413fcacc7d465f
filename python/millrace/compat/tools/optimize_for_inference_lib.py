"""Frozen graphs made smaller for inference: without what only training needs, and with batch normalizations as part of weights."""

import numpy as np

import millrace as tf
from millrace.compat.tools import strip_unused_lib
from millrace.framework import protos

_NORMALIZATIONS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "BatchNormWithGlobalNormalization")
# The inputs that hold mean, variance, offset and scale.
_INPUTS = {"BatchNormWithGlobalNormalization": (1, 2, 3, 4)}
_INPUTS_OF_FUSED = (3, 4, 2, 1)


def optimize_for_inference(input_graph_def, input_node_names, output_node_names, placeholder_type_enum, toco_compatible=False):
  """The GraphDef between inputs and outputs, without identities, and with batch normalizations in the weights of convolutions.

  `placeholder_type_enum` is the type of the inputs. Resizing is never made a part of a convolution, which
  TensorFlow leaves out with `toco_compatible` only. Raises ValueError if two nodes have one name, KeyError for an input that isn't there, AssertionError for an output.
  """
  del toco_compatible
  ensure_graph_is_valid(input_graph_def)
  graph_def = strip_unused_lib.strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum)
  graph_def = tf.graph_util.remove_training_nodes(graph_def, output_node_names)
  graph_def = fold_batch_norms(graph_def)
  ensure_graph_is_valid(graph_def)
  return graph_def


def ensure_graph_is_valid(graph_def):
  """Raises ValueError if two nodes have one name or an input is of no node."""
  nodes = set()
  for node in graph_def.node:
    if node.name in nodes:
      raise ValueError(f"Duplicate node found for {node.name}")
    nodes.add(node.name)
  for node in graph_def.node:
    for name in node.input:
      if node_name_from_input(name) not in nodes:
        raise ValueError(f"Input for {node.name} not found: {name}")


def node_name_from_input(node_name):
  """The name of the node that an input's name means."""
  return node_name.lstrip("^").rsplit(":", 1)[0] if ":" in node_name else node_name.lstrip("^")


def node_from_map(node_map, name):
  """The node of an input's name. Raises ValueError if there is none."""
  stripped = node_name_from_input(name)
  if stripped not in node_map:
    raise ValueError(f"No node named '{name}' found in map.")
  return node_map[stripped]


def values_from_const(node_def):
  """The array of a constant. Raises ValueError for another op."""
  if node_def.op != "Const":
    raise ValueError(f"Can not extract constant value from a node that is not Const. Got:\n{node_def}")
  return tf.make_ndarray(node_def.attr["value"].tensor)


def fold_batch_norms(input_graph_def, kept=()):
  """The GraphDef in which the scales of batch normalizations are in the weights of the convolutions before them.

  That goes where all their inputs but the convolution are constants, and nothing else uses the convolution. Nodes whose names are in
  `kept` stay.
  """
  nodes = {node.name: node for node in input_graph_def.node}
  uses = {}
  for node in input_graph_def.node:
    for name in node.input:
      uses[node_name_from_input(name)] = uses.get(node_name_from_input(name), 0) + 1
  for name in kept:
    uses[name] = uses.get(name, 0) + 1
  replaced, gone = {}, set()
  for node in input_graph_def.node:
    folded = _folded(node, nodes, uses)
    if folded is not None:
      made, without = folded
      replaced[node.name] = made
      gone |= without
  result = protos.GraphDef()
  for node in input_graph_def.node:
    if node.name in replaced:
      result.node.extend(replaced[node.name])
    elif node.name not in gone:
      result.node.add().CopyFrom(node)
  result.library.CopyFrom(input_graph_def.library)
  result.versions.CopyFrom(input_graph_def.versions)
  return result


def _folded(node, nodes, uses):
  """The nodes in the place of a normalization and the names of those that go, or None if it has to stay."""
  if node.op not in _NORMALIZATIONS:
    return None
  if node.op in _NORMALIZATIONS[:3] and ("is_training" not in node.attr or node.attr["is_training"].b):
    return None
  convolution = nodes.get(node_name_from_input(node.input[0]))
  if convolution is None or convolution.op not in ("Conv2D", "DepthwiseConv2dNative") or uses[convolution.name] != 1:
    return None
  weights = nodes.get(node_name_from_input(convolution.input[1]))
  parameters = [nodes.get(node_name_from_input(node.input[i])) for i in _INPUTS.get(node.op, _INPUTS_OF_FUSED)]
  if any(one is None or one.op != "Const" for one in (weights, *parameters)) or uses[weights.name] != 1:
    return None
  scale, offset = _scale_and_offset(node, *(values_from_const(one) for one in parameters))
  values = values_from_const(weights)
  if convolution.op == "DepthwiseConv2dNative":
    values = values * scale.reshape(values.shape[2:])
  else:
    values = values * scale
  scaled = _constant(convolution.name + "_weights", values.astype(np.float32))
  moved = protos.NodeDef()
  moved.CopyFrom(convolution)
  moved.input[1] = scaled.name
  added = _constant(convolution.name + "_bn_offset", offset.astype(np.float32))
  biased = protos.NodeDef(name=node.name, op="BiasAdd", input=[moved.name, added.name], device=node.device)
  biased.attr["T"].CopyFrom(convolution.attr["T"])
  biased.attr["data_format"].CopyFrom(convolution.attr["data_format"])
  gone = {convolution.name, weights.name}
  gone |= {one.name for one in parameters if uses[one.name] == 1}
  return [scaled, moved, added, biased], gone


def _scale_and_offset(node, mean, variance, offset, scale):
  """The factors and the summands that a normalization comes to."""
  is_fused = node.op in _NORMALIZATIONS[:3]
  epsilon = node.attr["epsilon" if is_fused else "variance_epsilon"].f
  factors = 1.0 / np.sqrt(variance.astype(np.float64) + epsilon)
  if is_fused or node.attr["scale_after_normalization"].b:
    factors = factors * scale
  return factors, offset - mean * factors


def _constant(name, value):
  node = protos.NodeDef(name=name, op="Const")
  node.attr["dtype"].type = tf.as_dtype(value.dtype).as_datatype_enum
  node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
  return node
