"""Transforms that compute a part of the graph once, so that it is not computed in each run."""

import numpy as np

import millrace as tf
from millrace.compat.graph_transforms import nodes
from millrace.compat.tools import optimize_for_inference_lib
from millrace.framework import op_defs, protos

_LARGEST = 10 << 20
_FLOW = ("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "ControlTrigger", "RefSwitch", "RefMerge", "RefEnter")
_NO_VALUES = (tf.resource, tf.variant)


def fold_constants(graph_def, request):
  """Constants in the place of what only constants go into, and without what the outputs do not need.

  `_output_shapes` of nodes go, unless `clear_output_shapes=false`.
  """
  if request.truth("clear_output_shapes", True):
    for node in graph_def.node:
      if "_output_shapes" in node.attr:
        del node.attr["_output_shapes"]
  folded = _foldable(graph_def, request.inputs)
  known = nodes.by_name(graph_def)
  wanted = {}
  used = [(name, node) for node in graph_def.node if node.name not in folded for name in nodes.data_inputs(node)]
  for name in [name for name, _ in used] + request.output_tensors:
    if nodes.node_of(name) in folded and known[nodes.node_of(name)].op != "Const":
      wanted[nodes.tensor_of(name)] = None
  values = _values(graph_def, folded, sorted(wanted))
  taken = set(known)
  renamed, made = {}, {}
  for name, value in values.items():
    node, _, place = name.partition(":")
    if value is None or value.nbytes > _LARGEST:
      continue
    if not place:
      made[node] = nodes.constant(node, value, known[node].device)
    elif name not in request.output_tensors:
      renamed[name] = nodes.unused_name(taken, "%s/__cf__%s" % (node, place))
      made[renamed[name]] = nodes.constant(renamed[name], value, known[node].device)
  # A node whose other results are still asked for stays.
  stays = {nodes.node_of(name) for name in wanted if ":" in name and name not in renamed}
  made = {name: node for name, node in made.items() if name not in stays}
  found = [made.pop(node.name, node) for node in graph_def.node] + list(made.values())
  changed = nodes.of(found)
  nodes.rename_inputs(changed, renamed)
  needed = nodes.needed(changed, request.outputs) | {node.name for node in changed.node if node.name in request.inputs}
  needed |= nodes.needed(changed, [name for name in request.inputs if name in known])
  return nodes.of(node for node in changed.node if node.name in needed)


def _foldable(graph_def, inputs):
  """Names of the nodes that constants alone go into, and that give the same in each run."""
  functions = {function.signature.name for function in graph_def.library.function}
  found = set()
  for node in nodes.ordered(graph_def):
    if node.name in inputs or node.op in _FLOW or node.op in functions or not op_defs.has(node.op):
      continue
    schema = op_defs.get(node.op)
    calls = any(value.HasField("func") for value in node.attr.values())
    if schema.is_stateful or calls or node.op.startswith("Placeholder") or not schema.outputs:
      continue
    if node.op == "Const" and not node.input or node.input and all(nodes.node_of(name) in found for name in node.input):
      found.add(node.name)
    elif not node.input and node.op not in ("NoOp",):
      found.add(node.name)
  return found


def _values(graph_def, folded, wanted):
  """{name of a tensor: its value, or None if it has none that a constant could hold}."""
  if not wanted:
    return {}
  with tf.Graph().as_default() as graph:
    part = nodes.of(node for node in graph_def.node if node.name in folded)
    for node in part.node:
      node.device = ""
      if "_class" in node.attr:
        del node.attr["_class"]
    tf.import_graph_def(part, name="")
    tensors = [graph.get_tensor_by_name(name if ":" in name else name + ":0") for name in wanted]
    fetched = {name: tensor for name, tensor in zip(wanted, tensors) if tensor.dtype not in _NO_VALUES}
    with tf.Session() as session:
      got = dict(zip(fetched, session.run(list(fetched.values()))))
  return {name: _array(got[name], fetched[name].dtype) if name in got else None for name in wanted}


def _array(value, dtype):
  value = np.asarray(value)
  return value if tf.as_dtype(value.dtype) == dtype or dtype == tf.string else None


def fold_old_batch_norms(graph_def, request):
  """Batch normalizations with constant statistics behind convolutions become parts of their weights, and a bias."""
  return optimize_for_inference_lib.fold_batch_norms(graph_def, request.kept)


def fold_batch_norms(graph_def, request):
  """Multiplications by constants behind convolutions and products with constants become parts of the weights."""
  known, uses = nodes.by_name(graph_def), nodes.users(graph_def)
  taken = set(known)
  gone, made = set(), {}
  for node in graph_def.node:
    if node.op != "Mul" or len(node.input) != 2:
      continue
    before, scale = (known[nodes.node_of(name)] for name in node.input)
    if before.op == "Const":
      before, scale = scale, before
    if before.op not in ("Conv2D", "MatMul", "DepthwiseConv2dNative") or len(before.input) != 2 or uses[before.name] != 1:
      continue
    filters = known[nodes.node_of(before.input[1])]
    scaled = _scaled(before, nodes.value_of(filters), nodes.value_of(scale))
    if scaled is None or before.name in request.kept:
      continue
    name = filters.name if uses[filters.name] == 1 and filters.name not in request.kept else None
    name = name or nodes.unused_name(taken, before.name + "_weights")
    moved = protos.NodeDef()
    moved.CopyFrom(before)
    moved.name, moved.input[1] = node.name, name
    made[node.name] = [nodes.constant(name, scaled, filters.device), moved]
    gone |= {before.name, node.name} | ({filters.name} if name == filters.name else set())
    gone |= {scale.name} if uses[scale.name] == 1 and scale.name not in request.kept else set()
  return nodes.of(one for node in graph_def.node for one in made.get(node.name, [] if node.name in gone else [node]))


def _scaled(node, filters, scale):
  """The filters with a factor for each of their results, or None where the factors are no such ones."""
  if filters is None or scale is None or filters.dtype != scale.dtype or not np.issubdtype(filters.dtype, np.floating):
    return None
  transposed = node.op == "MatMul" and nodes.attribute(node, "transpose_b").b
  if nodes.attribute(node, "data_format").s not in (b"", b"NHWC") or transposed:
    return None
  shape = filters.shape[2:] if node.op == "DepthwiseConv2dNative" else filters.shape[-1:]
  if scale.ndim > 1 and any(size != 1 for size in scale.shape[:-1]) or scale.ndim > 4 or scale.size not in (1, np.prod(shape)):
    return None
  if node.op == "MatMul" and scale.ndim > 2:
    return None
  return (filters * (scale.reshape(shape) if scale.size != 1 else scale.reshape(()))).astype(filters.dtype)


def backport_concatv2(graph_def, request):
  """Concat, which older programs know, in the place of ConcatV2."""
  for node in graph_def.node:
    if node.op == "ConcatV2":
      data = nodes.data_inputs(node)
      rest = [name for name in node.input if name.startswith("^")]
      node.op = "Concat"
      del node.input[:]
      node.input.extend([data[-1], *data[:-1], *rest])
      if "Tidx" in node.attr:
        del node.attr["Tidx"]
  return graph_def
