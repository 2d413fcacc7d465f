"""Copies ops and variables into another graph, under a scope."""

import millrace as tf
from millrace.framework import protos


def copy_variable_to_graph(org_instance, to_graph, scope=""):
  """Makes a variable in `to_graph`, called `scope/NAME`, with the initial value of a variable; returns it.

  It is in the same collections. Raises TypeError for something else than a variable.
  """
  if not isinstance(org_instance, tf.Variable):
    raise TypeError(f"{org_instance} is not a Variable")
  name = _scoped(scope, org_instance.op.name)
  graph = org_instance.graph
  collections = [
    key for key in graph.get_all_collection_keys() if any(item is org_instance for item in graph.get_collection(key))
  ]
  trainable = any(item is org_instance for item in graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES))
  with tf.Session(graph=graph) as session:
    value = session.run(org_instance.initial_value)
  with to_graph.as_default():
    return tf.Variable(value, trainable=trainable, name=name, collections=collections, validate_shape=False)


def _scoped(scope, name):
  return f"{scope}/{name}" if scope else name


def copy_op_to_graph(org_instance, to_graph, variables, scope=""):
  """Copies an Operation or Tensor, and all that it reads, into `to_graph` under a scope; returns the copy.

  `variables` are copies of variables, which stand for their originals. What is there already is not copied again. Raises TypeError for
  something else than ops and tensors.
  """
  if isinstance(org_instance, tf.Variable):
    org_instance = tf.convert_to_tensor(org_instance)
  if isinstance(org_instance, tf.Tensor):
    made = copy_op_to_graph(org_instance.op, to_graph, variables, scope)
    return made if isinstance(made, tf.Tensor) else made.outputs[org_instance.value_index]
  if not isinstance(org_instance, tf.Operation):
    raise TypeError(f"Could not copy instance: {org_instance}")
  copied = {variable.op.name: variable for variable in variables}
  done = {}
  stack = [org_instance]
  while stack:
    op = stack[-1]
    if op in done:
      stack.pop()
      continue
    found = _existing(op, to_graph, copied, scope)
    before = [] if found is not None else [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    waiting = [one for one in before if one not in done]
    if waiting:
      stack += reversed(waiting)
      continue
    done[op] = found if found is not None else _copied(op, to_graph, done, scope)
    stack.pop()
  return done[org_instance]


def _existing(op, to_graph, copied, scope):
  """The op of this name in the graph, or of a copied variable."""
  name = _scoped(scope, op.name)
  if name in copied:
    return copied[name].op
  try:
    return to_graph.get_operation_by_name(name)
  except KeyError:
    return None


def _copied(op, to_graph, done, scope):
  node_def = protos.NodeDef()
  node_def.CopyFrom(op.node_def)
  node_def.name = _scoped(scope, op.name)
  if "_class" in node_def.attr:
    del node_def.attr["_class"]
  inputs = [done[tensor.op].outputs[tensor.value_index] for tensor in op.inputs]
  with to_graph.as_default():
    made = tf.Operation(node_def, to_graph, inputs, control_inputs=[done[one] for one in op.control_inputs])
  if node_def.device:
    made._set_device(node_def.device)
  return made


def get_copied_op(org_instance, graph, scope=""):
  """Returns the copy, in a graph and under a scope, of an Operation, Tensor or Variable."""
  name = org_instance.op.name if isinstance(org_instance, tf.Variable) else org_instance.name
  return graph.as_graph_element(_scoped(scope, name), allow_tensor=True, allow_operation=True)
