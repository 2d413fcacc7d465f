"""Meta graphs: a graph with its collections and its saver, as one message, out of a graph and into one."""

import os
import re

import millrace as tf
from millrace.framework import graph as graph_lib
from millrace.framework import meta_graph_collections as collections
from millrace.framework import protos

# Stands before the names of inputs that an exported scope takes from outside.
UNBOUND_INPUT_PREFIX = "$unbound_inputs_"


def read_meta_graph_file(filename):
  """The MetaGraphDef of a file, binary or text. Raises OSError if it isn't there or is neither."""
  from google.protobuf import text_format

  if not tf.gfile.Exists(filename):
    raise OSError(f"File does not exist. Received: {filename}.")
  with tf.gfile.GFile(filename, "rb") as f:
    content = f.read()
  meta_graph_def = protos.MetaGraphDef()
  try:
    meta_graph_def.ParseFromString(content)
    return meta_graph_def
  except Exception:  # noqa: BLE001
    # It may be text; the error is that of the text.
    meta_graph_def = protos.MetaGraphDef()
  try:
    text_format.Merge(content.decode("utf-8"), meta_graph_def)
  except (text_format.ParseError, UnicodeDecodeError) as e:
    raise OSError(f"Cannot parse file {filename}: {e}.") from e
  return meta_graph_def


def stripped_op_list_for_graph(graph_def):
  """The OpList of the op types that the graph and its functions use, by their names; unknown ones are left out."""
  used = {node.op for node in graph_def.node}
  functions = {function.signature.name for function in graph_def.library.function}
  for function in graph_def.library.function:
    used.update(node.op for node in function.node_def)
  result = protos.OpList()
  for name in sorted(used - functions):
    op_def = _op_def(name)
    if op_def is not None:
      result.op.add().CopyFrom(op_def)
  return result


def _op_def(op_type):
  """The OpDef of an op type without its documentation, or None if there is no such op."""
  from millrace.framework import op_defs

  try:
    definition = op_defs.proto(op_type)
  except (KeyError, ValueError, AttributeError):
    return None
  result = protos.OpDef()
  result.CopyFrom(definition)
  for field in ("summary", "description"):
    result.ClearField(field)
  for part in (*result.input_arg, *result.output_arg, *result.attr):
    part.ClearField("description")
  return result


def strip_graph_default_valued_attrs(meta_graph_def):
  """Leaves out the attributes that have the default of their op."""
  defaults = {}
  for op_def in meta_graph_def.meta_info_def.stripped_op_list.op:
    defaults[op_def.name] = {a.name: a.default_value for a in op_def.attr if a.HasField("default_value")}

  def strip(nodes):
    for node in nodes:
      for name, default in defaults.get(node.op, {}).items():
        if name in node.attr and node.attr[name] == default:
          del node.attr[name]

  strip(meta_graph_def.graph_def.node)
  for function in meta_graph_def.graph_def.library.function:
    strip(function.node_def)
  meta_graph_def.meta_info_def.stripped_default_attrs = True


def create_meta_graph_def(
  meta_info_def=None,
  graph_def=None,
  saver_def=None,
  collection_list=None,
  graph=None,
  export_scope=None,
  exclude_nodes=None,
  clear_extraneous_savers=False,
  strip_default_attrs=False,
):
  """The MetaGraphDef of these parts and of the collections of `graph`, or of those that `collection_list` names.

  Raises TypeError if a part is another message.
  """
  if graph is not None and not isinstance(graph, graph_lib.Graph):
    raise TypeError(f"graph must be of type Graph. Received type: {type(graph)}.")
  graph = graph or graph_lib.get_default_graph()
  meta_graph_def = protos.MetaGraphDef()
  if meta_info_def is not None:
    meta_graph_def.meta_info_def.CopyFrom(protos.coerce(protos.MetaGraphDef.MetaInfoDef, meta_info_def))
  meta_graph_def.meta_info_def.tensorflow_version = tf.__version__
  meta_graph_def.meta_info_def.tensorflow_git_version = "unknown"
  if graph_def is None:
    meta_graph_def.graph_def.MergeFrom(graph.as_graph_def(add_shapes=True))
  else:
    meta_graph_def.graph_def.MergeFrom(protos.coerce(protos.GraphDef, graph_def))
  if not meta_graph_def.meta_info_def.HasField("stripped_op_list"):
    meta_graph_def.meta_info_def.stripped_op_list.MergeFrom(stripped_op_list_for_graph(meta_graph_def.graph_def))
  if strip_default_attrs:
    strip_graph_default_valued_attrs(meta_graph_def)
  if saver_def is not None:
    meta_graph_def.saver_def.MergeFrom(protos.coerce(protos.SaverDef, saver_def))
  if collection_list is None:
    collection_list = graph.get_all_collection_keys()
  for key in collection_list:
    collections.add_collection_def(meta_graph_def, key, graph=graph, export_scope=export_scope, exclude_nodes=exclude_nodes)
  return meta_graph_def


def export_scoped_meta_graph(
  filename=None,
  graph_def=None,
  graph=None,
  export_scope=None,
  as_text=False,
  unbound_inputs_col_name="unbound_inputs",
  clear_devices=False,
  saver_def=None,
  clear_extraneous_savers=False,
  strip_default_attrs=False,
  save_debug_info=False,
  **kwargs,
):
  """The MetaGraphDef of what is below `export_scope`, or of all, and a map of names to the variables in it.

  Inputs from outside of the scope are listed in the collection `unbound_inputs_col_name`.
  """
  graph = graph or graph_lib.get_default_graph()
  if graph_def is not None:
    graph_def = protos.coerce(protos.GraphDef, graph_def)
  excluded = set()
  unbound_inputs = []
  if export_scope or clear_extraneous_savers or clear_devices:
    source = graph_def if graph_def is not None else graph.as_graph_def(add_shapes=True)
    if clear_extraneous_savers:
      excluded = _extraneous_saver_nodes(source, saver_def)
    graph_def = _select_nodes(source, export_scope, excluded, clear_devices, unbound_inputs)
    if unbound_inputs_col_name and unbound_inputs:
      # They are listed once, whatever was listed by an earlier export.
      graph.clear_collection(unbound_inputs_col_name)
      for name in sorted(set(unbound_inputs)):
        graph.add_to_collection(unbound_inputs_col_name, name)
  var_list = {}
  for v in graph.get_collection(graph_lib.GraphKeys.GLOBAL_VARIABLES, scope=export_scope):
    if _included(v.op.name, export_scope, excluded):
      var_list[graph_lib.strip_name_scope(v.op.name, export_scope)] = v
  meta_graph_def = create_meta_graph_def(
    graph_def=graph_def,
    graph=graph,
    export_scope=export_scope,
    exclude_nodes=excluded,
    clear_extraneous_savers=clear_extraneous_savers,
    saver_def=saver_def,
    strip_default_attrs=strip_default_attrs,
    **kwargs,
  )
  if filename:
    _write(meta_graph_def, filename, as_text)
  return meta_graph_def, var_list


def _write(meta_graph_def, filename, as_text):
  from google.protobuf import text_format

  from millrace.train.saver import files

  folder = os.path.dirname(filename)
  if as_text and folder:
    tf.gfile.MakeDirs(folder)
  content = text_format.MessageToString(meta_graph_def) if as_text else meta_graph_def.SerializeToString()
  files.write_atomically(filename, content)


def _included(name, export_scope, excluded):
  return name not in excluded and (not export_scope or name.startswith(export_scope))


def _select_nodes(source, export_scope, excluded, clear_devices, unbound_inputs):
  """The GraphDef of the nodes below the scope that aren't excluded, without the scope's name."""
  result = protos.GraphDef()
  result.versions.CopyFrom(source.versions)
  result.library.CopyFrom(source.library)
  for node in source.node:
    if _included(node.name, export_scope, excluded):
      result.node.add().CopyFrom(_scoped_node(node, export_scope, unbound_inputs, clear_devices))
  return result


def _scoped_node(node, export_scope, unbound_inputs, clear_devices):
  result = protos.NodeDef()
  result.CopyFrom(node)
  if clear_devices:
    result.device = ""
  if not export_scope:
    return result
  result.name = graph_lib.strip_name_scope(node.name, export_scope)
  for i, name in enumerate(node.input):
    if name.lstrip("^").startswith(export_scope):
      result.input[i] = graph_lib.strip_name_scope(name, export_scope)
    else:
      result.input[i] = re.sub(r"([\^]|^)(.*)", r"\1" + UNBOUND_INPUT_PREFIX + r"\2", name, count=1)
      unbound_inputs.append(result.input[i])
  if "_class" in node.attr:
    classes = [s.decode("utf-8") for s in node.attr["_class"].list.s]
    kept = [c for c in classes if c.split("@", 1)[-1].startswith(export_scope)]
    result.attr["_class"].list.s[:] = [graph_lib.strip_name_scope(c, export_scope).encode("utf-8") for c in kept]
  if node.op in ("Enter", "RefEnter") and "frame_name" in node.attr:
    frame = node.attr["frame_name"].s.decode("utf-8")
    if frame.startswith(export_scope):
      result.attr["frame_name"].s = graph_lib.strip_name_scope(frame, export_scope).encode("utf-8")
  return result


def _extraneous_saver_nodes(graph_def, saver_def):
  """The names of the nodes of all savers but that of `saver_def`."""
  kept = set()
  if saver_def is not None:
    for name in (saver_def.filename_tensor_name, saver_def.save_tensor_name, saver_def.restore_op_name):
      kept.add(name.rsplit("/", 1)[0])
  scopes = set()
  for node in graph_def.node:
    if node.op == "NoOp" and "/" in node.name and node.name.rsplit("/", 1)[1].startswith("restore_all"):
      scopes.add(node.name.rsplit("/", 1)[0])
  names = {node.name for node in graph_def.node}
  # A folder is a saver's only if it has the node that takes the path, too.
  scopes = {scope for scope in scopes if scope + "/Const" in names and scope not in kept}
  return {name for name in names if any(name.startswith(scope + "/") for scope in scopes)}


def import_scoped_meta_graph(
  meta_graph_or_file,
  clear_devices=False,
  graph=None,
  import_scope=None,
  input_map=None,
  unbound_inputs_col_name="unbound_inputs",
  restore_collections_predicate=(lambda key: True),
):
  """The map of names to variables of what `import_scoped_meta_graph_with_return_elements` imports."""
  return import_scoped_meta_graph_with_return_elements(
    meta_graph_or_file,
    clear_devices,
    graph,
    import_scope,
    input_map,
    unbound_inputs_col_name,
    restore_collections_predicate,
  )[0]


def import_scoped_meta_graph_with_return_elements(
  meta_graph_or_file,
  clear_devices=False,
  graph=None,
  import_scope=None,
  input_map=None,
  unbound_inputs_col_name="unbound_inputs",
  restore_collections_predicate=(lambda key: True),
  return_elements=None,
):
  """Adds a meta graph's nodes and collections to `graph`, below `import_scope`.

  Returns the map of names to its variables, and the `return_elements`. Raises ValueError if the graph has unbound inputs
  that `input_map` doesn't bind.
  """
  if isinstance(meta_graph_or_file, (str, bytes)):
    meta_graph_def = read_meta_graph_file(meta_graph_or_file)
  else:
    meta_graph_def = protos.coerce(protos.MetaGraphDef, meta_graph_or_file)
  if unbound_inputs_col_name:
    _check_unbound_inputs(meta_graph_def, unbound_inputs_col_name, input_map)
  graph = graph or graph_lib.get_default_graph()
  with graph.as_default():
    graph_def = meta_graph_def.graph_def
    if clear_devices:
      graph_def = protos.GraphDef()
      graph_def.CopyFrom(meta_graph_def.graph_def)
      for node in graph_def.node:
        node.device = ""
    scope = graph.unique_name(import_scope or "", mark_as_used=False)
    info = meta_graph_def.meta_info_def
    returned = tf.import_graph_def(
      graph_def,
      name=(import_scope or scope),
      input_map=input_map,
      producer_op_list=info.stripped_op_list if info.HasField("stripped_op_list") else None,
      return_elements=return_elements,
    )
    for key in sorted(meta_graph_def.collection_def):
      if key != unbound_inputs_col_name and restore_collections_predicate(key):
        collections.restore_collection_def(graph, key, meta_graph_def.collection_def[key], scope)
    variables = graph.get_collection(graph_lib.GraphKeys.GLOBAL_VARIABLES, scope=scope)
    return {graph_lib.strip_name_scope(v.name, scope): v for v in variables}, returned


def _check_unbound_inputs(meta_graph_def, unbound_inputs_col_name, input_map):
  if unbound_inputs_col_name not in meta_graph_def.collection_def:
    return
  values = meta_graph_def.collection_def[unbound_inputs_col_name].bytes_list.value
  unbound = [v.decode("utf-8") for v in values]
  missing = [name for name in unbound if not input_map or name not in {str(key) for key in input_map}]
  if missing:
    raise ValueError(
      "Graph contains unbound inputs: {}. Must provide these inputs through input_map.".format(", ".join(sorted(missing)))
    )
