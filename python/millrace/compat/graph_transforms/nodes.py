"""Nodes of GraphDefs: their inputs, users, order, and graphs without some of them."""

import numpy as np

import millrace as tf
from millrace.framework import protos


def node_of(name):
  """The node of an input: "x" of "x:1" and of "^x"."""
  return name.lstrip("^").partition(":")[0]


def tensor_of(name):
  """An input's name without ":0"."""
  return name[:-2] if name.endswith(":0") else name


def data_inputs(node):
  return [name for name in node.input if not name.startswith("^")]


def by_name(graph_def):
  return {node.name: node for node in graph_def.node}


def users(graph_def):
  """{node: how many inputs, also those that only wait, name it}."""
  found = {}
  for node in graph_def.node:
    for name in node.input:
      found[node_of(name)] = found.get(node_of(name), 0) + 1
  return found


def check(graph_def):
  """Raises ValueError if two nodes have one name or an input is of no node."""
  known = by_name(graph_def)
  if len(known) != len(graph_def.node):
    raise ValueError("two nodes would have one name")
  for node in graph_def.node:
    for name in node.input:
      if node_of(name) not in known:
        raise ValueError("the input %s of %s would be of no node" % (name, node.name))


def needed(graph_def, names, stop=()):
  """The names of the nodes that `names` need, no further than those of `stop`. ValueError for one that is not there."""
  known = by_name(graph_def)
  found, pending = set(), list(names)
  while pending:
    name = pending.pop()
    if name in found:
      continue
    if name not in known:
      raise ValueError("there is no node %s" % name)
    found.add(name)
    if name not in stop:
      pending += [node_of(one) for one in known[name].input]
  return found


def of(nodes):
  """A GraphDef of nodes."""
  graph_def = protos.GraphDef()
  graph_def.node.extend(nodes)
  return graph_def


def ordered(graph_def):
  """The nodes, each after its inputs, otherwise in their order; those around loops, and what comes behind, at the end."""
  known = by_name(graph_def)
  back = {id(node) for node in graph_def.node if node.op in ("NextIteration", "RefNextIteration")}
  waits, followers = {}, {}
  for node in graph_def.node:
    before = {node_of(name) for name in node.input if node_of(name) in known and id(known[node_of(name)]) not in back}
    waits[node.name] = len(before)
    for name in before:
      followers.setdefault(name, []).append(node)
  ready = [node for node in reversed(graph_def.node) if not waits[node.name]]
  found = []
  while ready:
    node = ready.pop()
    found.append(node)
    for follower in reversed(followers.get(node.name, ())):
      waits[follower.name] -= 1
      if not waits[follower.name]:
        ready.append(follower)
  done = {node.name for node in found}
  return found + [node for node in graph_def.node if node.name not in done]


def rename_inputs(graph_def, renamed):
  """Gives inputs other tensors: {"x" or "x:1": another}; those that wait for a node wait for the one of the tensor."""
  for node in graph_def.node:
    for i, name in enumerate(node.input):
      if name.startswith("^"):
        if name[1:] in renamed:
          node.input[i] = "^" + node_of(renamed[name[1:]])
      elif tensor_of(name) in renamed:
        node.input[i] = renamed[tensor_of(name)]


def constant(name, value, device=""):
  """A Const node."""
  value = np.asarray(value)
  node = protos.NodeDef(name=name, op="Const", device=device)
  node.attr["dtype"].type = tf.as_dtype(value.dtype).as_datatype_enum
  node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
  return node


def value_of(node):
  """The array of a Const node, or None for another."""
  return tf.make_ndarray(node.attr["value"].tensor) if node is not None and node.op == "Const" else None


def attribute(node, key):
  """An attribute, or an empty one: reading `node.attr[key]` would add it."""
  return node.attr[key] if key in node.attr else protos.AttrValue()


def unused_name(taken, wanted):
  """A name that is not in the set `taken`, to which it is added."""
  name, count = wanted, 0
  while name in taken:
    count += 1
    name = "%s_%d" % (wanted, count)
  taken.add(name)
  return name
