"""Transforms that take nodes away."""

import millrace as tf
from millrace.compat.graph_transforms import nodes, parameters
from millrace.framework import protos


def strip_unused_nodes(graph_def, request):
  """The nodes that the outputs need, with placeholders for the inputs.

  `type` and `shape` are those of all inputs; `name`, `type_for_name` and `shape_for_name`, each as often, those of single ones.
  Without them a placeholder has what its node says of them.
  """
  names, types, shapes = (request.all(key) for key in ("name", "type_for_name", "shape_for_name"))
  if (types and len(types) != len(names)) or (shapes and len(shapes) != len(names)):
    raise ValueError("expects a type_for_name and a shape_for_name for each name")
  types = dict(zip(names, map(parameters.dtype_of, types)))
  shapes = dict(zip(names, map(parameters.shape_of, shapes)))
  of_all = [parameters.dtype_of(one) for one in request.all("type")[:1]]
  shape_of_all = [parameters.shape_of(one) for one in request.all("shape")[:1]]
  used = nodes.needed(graph_def, request.outputs, request.inputs)
  found = []
  for node in graph_def.node:
    if node.name not in used:
      continue
    if node.name in request.inputs:
      dtype = types.get(node.name, of_all[0] if of_all else None)
      shape = shapes.get(node.name, shape_of_all[0] if shape_of_all else None)
      node = _placeholder(node, dtype, shape)
    found.append(node)
  return nodes.of(found)


def _placeholder(node, dtype, shape):
  """A placeholder in the place of a node, with that type and shape if they are given."""
  made = protos.NodeDef(name=node.name, op="Placeholder", device=node.device)
  if node.op == "Placeholder":
    made.CopyFrom(node)
    if not node.attr["dtype"].type:
      made.attr["dtype"].type = tf.float32.as_datatype_enum
  else:
    known = [node.attr[key].type for key in ("dtype", "output_type", "DstT", "T") if key in node.attr]
    made.attr["dtype"].type = known[0] if known else tf.float32.as_datatype_enum
  if dtype is not None:
    made.attr["dtype"].type = dtype.as_datatype_enum
  if shape is not None:
    made.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())
    made.attr.pop("_output_shapes", None)
  return made


def remove_nodes(graph_def, request):
  """Without nodes of the ops `op`, whose first input takes their place. Those that wait for others, inputs and outputs stay.

  `max_inputs`, 1 without it, is how many inputs a node has at most that goes.
  """
  ops, most = request.all("op"), request.number("max_inputs", 1)
  if not ops:
    raise ValueError("expects at least one op, as remove_nodes(op=Identity)")
  gone, kept = {}, []
  for node in graph_def.node:
    plain = 1 <= len(node.input) <= most and not any(name.startswith("^") for name in node.input)
    if node.op in ops and plain and node.name not in request.kept:
      gone[node.name] = nodes.tensor_of(node.input[0])
    else:
      kept.append(node)
  for name in gone:
    passed = [name]
    while nodes.tensor_of(gone[passed[-1]]) in gone:
      passed.append(gone[passed[-1]])
      if passed[-1] in passed[:-1]:
        raise ValueError("the nodes to remove are in a circle at %s" % name)
    gone[name] = gone[passed[-1]]
  changed = nodes.of(kept)
  nodes.rename_inputs(changed, gone)
  return changed
