"""Collections of a graph as messages: variables, queue runners, loops and what programs register."""

import millrace as tf
from millrace.framework import graph as graph_lib
from millrace.framework import protos

# By the name of a collection: the message of its items, and the function that makes an item of a message.
_registered = {}

_VARIABLES = (
  "variables",
  "trainable_variables",
  "local_variables",
  "model_variables",
  "metric_variables",
  "moving_average_variables",
  "global_step",
)


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
  """Says how the items of a collection become messages and come from them.

  `to_proto(item, export_scope=...)` and `from_proto(message, import_scope=...)`. Raises TypeError for what can't be called.
  """
  if to_proto and not callable(to_proto):
    raise TypeError(f"to_proto must be callable. Received: {to_proto}")
  if from_proto and not callable(from_proto):
    raise TypeError(f"from_proto must be callable. Received: {from_proto}")
  _registered[collection_name] = (proto_type, to_proto, from_proto)


def get_collection_proto_type(collection_name):
  """The message class of a collection's items, or None."""
  return _functions(collection_name)[0]


def get_to_proto_function(collection_name):
  return _functions(collection_name)[1]


def get_from_proto_function(collection_name):
  return _functions(collection_name)[2]


def _own_to_proto(item, export_scope=None):
  return item.to_proto(export_scope=export_scope)


def _variable_of(message, import_scope=None):
  """The variable of a VariableDef, of the kind that it says."""
  from millrace.ops.variables import resource_variable

  kind = resource_variable.ResourceVariable if message.is_resource else tf.Variable
  return kind.from_proto(message, import_scope=import_scope)


def _functions(name):
  if name in _registered:
    return _registered[name]
  if name in _VARIABLES:
    return protos.VariableDef, _own_to_proto, _variable_of
  if name == "queue_runners":
    from millrace.train import queue_runners

    return protos.QueueRunnerDef, _own_to_proto, queue_runners.QueueRunner.from_proto
  if name == "cond_context":
    from millrace.ops.control_flow import contexts

    return protos.CondContextDef, _own_to_proto, contexts.CondContext.from_proto
  if name == "while_context":
    from millrace.ops.control_flow import contexts

    return protos.WhileContextDef, _own_to_proto, contexts.WhileContext.from_proto
  if name == "savers":
    from millrace.train.saver import saver

    return protos.SaverDef, _own_to_proto, saver.Saver.from_proto
  return None, None, None


def _kind(item):
  if isinstance(item, (str, bytes)):
    return "bytes_list"
  if isinstance(item, int):
    return "int64_list"
  if isinstance(item, float):
    return "float_list"
  if protos.is_message(item, "Any"):
    return "any_list"
  return "node_list"


def add_collection_def(meta_graph_def, key, graph=None, export_scope=None, exclude_nodes=None):
  """Adds a collection of `graph` to the message; one whose items can't be written is left out with a warning."""
  graph = graph or graph_lib.get_default_graph()
  if not isinstance(key, (str, bytes)):
    tf.logging.warning("Only collections with string type keys will be serialized. This key has %s", type(key))
    return
  items = [x for x in graph.get_collection(key) if not _is_excluded(x, exclude_nodes)]
  if not items:
    return
  try:
    col_def = meta_graph_def.collection_def[key]
    to_proto = get_to_proto_function(key)
    if to_proto:
      for x in items:
        proto = to_proto(x, export_scope=export_scope)
        if proto:
          col_def.bytes_list.value.append(proto.SerializeToString())
      if not col_def.WhichOneof("kind"):
        col_def.bytes_list.SetInParent()
      return
    kind = _kind(items[0])
    if kind == "node_list":
      for x in items:
        if not export_scope or x.name.startswith(export_scope):
          col_def.node_list.value.append(graph_lib.strip_name_scope(x.name, export_scope))
    elif kind == "bytes_list":
      col_def.bytes_list.value.extend([tf.compat.as_bytes(x) for x in items])
    elif kind == "any_list":
      for x in items:
        col_def.any_list.value.add().CopyFrom(x)
    else:
      getattr(col_def, kind).value.extend(list(items))
  except Exception as e:  # noqa: BLE001
    tf.logging.warning(
      "Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't match field type in "
      "CollectionDef. Note this is a warning and probably safe to ignore.\n%s",
      key,
      str(e),
    )
    if key in meta_graph_def.collection_def:
      del meta_graph_def.collection_def[key]


def _is_excluded(item, exclude_nodes):
  if not exclude_nodes:
    return False
  op = item if isinstance(item, tf.Operation) else getattr(item, "op", None)
  if getattr(op, "name", None) in exclude_nodes:
    return True
  saver_def = getattr(item, "saver_def", None)
  return saver_def is not None and saver_def.restore_op_name in exclude_nodes


def restore_collection_def(graph, key, col_def, scope):
  """Adds the items of a collection's message to `graph`, whose nodes were imported below `scope`."""
  kind = col_def.WhichOneof("kind")
  if kind is None:
    tf.logging.error("Cannot identify data type for collection %s. Skipping.", key)
    return
  from_proto = get_from_proto_function(key)
  if from_proto and kind == "bytes_list":
    proto_type = get_collection_proto_type(key)
    for value in col_def.bytes_list.value:
      item = None
      if key in _VARIABLES:
        item = _known_variable(graph, key, proto_type.FromString(value), scope)
      if item is None:
        item = from_proto(proto_type.FromString(value), import_scope=scope)
      graph.add_to_collection(key, item)
  elif kind == "node_list":
    for value in col_def.node_list.value:
      graph.add_to_collection(key, graph.as_graph_element(graph_lib.prepend_name_scope(value, scope)))
  elif kind == "int64_list":
    for value in col_def.int64_list.value:
      graph.add_to_collection(key, int(value))
  elif kind == "bytes_list":
    for value in col_def.bytes_list.value:
      # Texts may be names of nodes, so they are put below the scope, too.
      graph.add_to_collection(key, graph_lib.prepend_name_scope(tf.compat.as_str(value), scope) if scope else value)
  else:
    for value in getattr(col_def, kind).value:
      graph.add_to_collection(key, value)


def _known_variable(graph, key, variable_def, scope):
  """The variable that another collection brought already: one object stands in all of them."""
  name = graph_lib.prepend_name_scope(variable_def.variable_name, scope)
  for other in _VARIABLES:
    if other == key:
      continue
    for v in graph.get_collection(other):
      if getattr(v, "name", None) == name:
        return v
  return None
