"""Transforms of the order, the names and the number of nodes, whose values stay the same."""

import itertools
import string

import millrace as tf
from millrace.compat.graph_transforms import nodes
from millrace.framework import op_defs, protos


def sort_by_execution_order(graph_def, request):
  """Each node after its inputs."""
  return nodes.of(nodes.ordered(graph_def))


def merge_duplicate_nodes(graph_def, request):
  """One node of those that have the same op, inputs, attributes and device; state, inputs and outputs are not merged."""
  seen, renamed, kept = {}, {}, []
  for node in nodes.ordered(graph_def):
    for i, name in enumerate(node.input):
      moved = renamed.get(nodes.node_of(name))
      if moved is not None:
        node.input[i] = ("^" if name.startswith("^") else "") + moved + name.lstrip("^")[len(nodes.node_of(name)) :]
    stateful = not op_defs.has(node.op) or op_defs.get(node.op).is_stateful or node.op.startswith("Placeholder")
    in_loop = node.op in ("Enter", "RefEnter", "NextIteration", "Merge", "Switch", "Exit", "LoopCond")
    key = _without_name(node)
    if stateful or in_loop or node.name in request.inputs:
      kept.append(node)
    elif key in seen and node.name not in request.outputs:
      renamed[node.name] = seen[key]
    else:
      seen.setdefault(key, node.name)
      kept.append(node)
  return nodes.of(kept)


def _without_name(node):
  copied = protos.NodeDef()
  copied.CopyFrom(node)
  copied.name = ""
  for i, name in enumerate(copied.input):
    copied.input[i] = nodes.tensor_of(name)
  return copied.SerializeToString(deterministic=True)


def obfuscate_names(graph_def, request):
  """Short names without a meaning for all nodes but inputs and outputs."""
  letters = string.ascii_lowercase
  short = ("".join(word) for size in itertools.count(1) for word in itertools.product(letters, repeat=size))
  renamed = {}
  for node in graph_def.node:
    renamed[node.name] = node.name if node.name in request.kept else next(word for word in short if word not in request.kept)
  for node in graph_def.node:
    node.name = renamed[node.name]
    for i, name in enumerate(node.input):
      before = nodes.node_of(name)
      if before in renamed:
        node.input[i] = name.replace(before, renamed[before], 1)
    for i, place in enumerate(node.attr["_class"].list.s if "_class" in node.attr else ()):
      told, _, other = tf.compat.as_str(place).partition("@")
      node.attr["_class"].list.s[i] = tf.compat.as_bytes("%s@%s" % (told, renamed.get(other, other)))
  return graph_def


def insert_logging(graph_def, request):
  """Nodes whose first result is printed when they run: those of the ops `op`, and those whose names begin with `prefix`.

  A text before it has the parts that `show_op`, `show_name` and `message` ask for; `first_n` and `summarize` are Print's. What is
  printed takes the node's name, and the node itself gets another.
  """
  ops, prefixes = request.all("op"), request.all("prefix")
  if not ops and not prefixes:
    raise ValueError("expects at least one op or prefix")
  with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name="")
  taken = {node.name for node in graph_def.node}
  found, moved = [], {}
  for node in graph_def.node:
    outputs = graph.get_operation_by_name(node.name).outputs
    chosen = node.op in ops or any(node.name.startswith(prefix) for prefix in prefixes)
    found.append(node)
    printable = outputs and not outputs[0].dtype._is_ref_dtype and outputs[0].dtype not in (tf.resource, tf.variant)
    if chosen and printable and node.name not in request.inputs:
      moved[node.name] = nodes.unused_name(taken, node.name + "__without_logging__")
      found.append(_print(node.name, moved[node.name], node, outputs[0].dtype, request))
  for node in found:
    for i, name in enumerate(node.input):
      before, _, place = name.partition(":")
      if before in moved and place not in ("", "0"):
        node.input[i] = "%s:%s" % (moved[before], place)
  for node in graph_def.node:
    node.name = moved.get(node.name, node.name)
  return nodes.of(found)


def _print(name, printed, node, dtype, request):
  text = request.one("message", "")
  text = ";".join(
    part
    for part in (
      text,
      node.op if request.truth("show_op", False) else "",
      node.name if request.truth("show_name", False) else "",
    )
    if part
  )
  made = protos.NodeDef(name=name, op="Print", input=[printed, printed], device=node.device)
  made.attr["T"].type = dtype.as_datatype_enum
  made.attr["U"].list.type.append(dtype.as_datatype_enum)
  made.attr["message"].s = tf.compat.as_bytes(text)
  made.attr["first_n"].i = request.number("first_n", -1)
  made.attr["summarize"].i = request.number("summarize", 1024)
  return made
