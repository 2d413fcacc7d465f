"""Transforms of constants of floats, so that a file of the graph is smaller or packs better."""

import numpy as np

import millrace as tf
from millrace.compat.graph_transforms import nodes
from millrace.framework import protos

_LEAST_TO_ROUND = 16


def _floats(node, least):
  """The array of a constant of at least so many floats, or None."""
  if node.op != "Const" or node.attr["dtype"].type != tf.float32.as_datatype_enum:
    return None
  value = nodes.value_of(node)
  return value if value.size >= least and np.isfinite(value).all() else None


def round_weights(graph_def, request):
  """Constants of 16 floats and more get values of `num_steps`, 256 without it, between their smallest and largest."""
  steps = request.number("num_steps", 256)
  if steps < 1:
    raise ValueError("num_steps is at least 1, not %d" % steps)
  for node in graph_def.node:
    value = _floats(node, _LEAST_TO_ROUND)
    if value is None or value.min() == value.max():
      continue
    low, high = float(value.min()), float(value.max())
    step = (high - low) / steps
    rounded = low + np.round((value.astype(np.float64) - low) / step) * step
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(rounded.astype(np.float32)))
  return graph_def


def quantize_weights(graph_def, request):
  """Constants of `minimum_size`, 1024 without it, floats and more are kept as bytes, and made floats when the graph runs."""
  least = request.number("minimum_size", 1024)
  taken = {node.name for node in graph_def.node}
  found = []
  for node in graph_def.node:
    value = _floats(node, least)
    if value is None or node.name in request.inputs:
      found.append(node)
    else:
      found += _in_bytes(node, value, taken)
  return nodes.of(found)


def _in_bytes(node, value, taken):
  low, high = min(float(value.min()), 0.0), max(float(value.max()), 0.0)
  if low == high:
    high = 1.0
  with tf.Graph().as_default(), tf.Session() as session:
    quantized = tf.quantization.quantize(tf.constant(value), low, high, tf.quint8, mode="MIN_FIRST")
    stored, low, high = session.run([tf.bitcast(quantized[0], tf.uint8), quantized[1], quantized[2]])
  data, least, most = (
    nodes.unused_name(taken, node.name + end) for end in ("_quantized_const", "_quantized_min", "_quantized_max")
  )
  kept = nodes.constant(data, stored, node.device)
  kept.attr["dtype"].type = kept.attr["value"].tensor.dtype = tf.quint8.as_datatype_enum
  kept.input.extend(name for name in node.input if name.startswith("^"))
  made = protos.NodeDef(name=node.name, op="Dequantize", input=[data, least, most], device=node.device)
  made.attr["T"].type = tf.quint8.as_datatype_enum
  made.attr["mode"].s = b"MIN_FIRST"
  return [kept, nodes.constant(least, np.float32(low), node.device), nodes.constant(most, np.float32(high), node.device), made]
