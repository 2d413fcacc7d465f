"""Graphs whose variables become constants, from files of a graph and of a checkpoint, or from a SavedModel."""

import millrace as tf
from millrace.compat.tools import graph_files
from millrace.framework import protos
from millrace.saved_model import loading


def freeze_graph(
  input_graph,
  input_saver,
  input_binary,
  input_checkpoint,
  output_node_names,
  restore_op_name,
  filename_tensor_name,
  output_graph,
  clear_devices,
  initializer_nodes,
  variable_names_whitelist="",
  variable_names_blacklist="",
  input_meta_graph=None,
  input_saved_model_dir=None,
  saved_model_tags="serve",
  checkpoint_version=2,
):
  """Reads a graph and its checkpoint, makes variables constants, writes the GraphDef to `output_graph` if given, and returns it.

  The graph is in `input_graph`, in `input_meta_graph` (the path of a MetaGraphDef) or in the SavedModel of a folder; files are text
  unless `input_binary`. Lists of names are texts with commas. `restore_op_name` and `filename_tensor_name` are not used. Raises
  OSError for files that aren't there, ValueError for a checkpoint that isn't or if `output_node_names` is empty.
  """
  graph_def = meta_graph_def = None
  if input_saved_model_dir:
    graph_def = loading._meta_graph_of(loading.parse_saved_model(input_saved_model_dir), _names(saved_model_tags)).graph_def
  elif input_graph:
    graph_def = graph_files.read(protos.GraphDef(), input_graph, input_binary, "graph")
  if input_meta_graph:
    meta_graph_def = graph_files.read(protos.MetaGraphDef(), input_meta_graph, input_binary, "meta graph")
  saver_def = graph_files.read(protos.SaverDef(), input_saver, input_binary, "saver") if input_saver else None
  return freeze_graph_with_def_protos(
    graph_def,
    saver_def,
    input_checkpoint,
    output_node_names,
    restore_op_name,
    filename_tensor_name,
    output_graph,
    clear_devices,
    initializer_nodes,
    variable_names_whitelist,
    variable_names_blacklist,
    meta_graph_def,
    input_saved_model_dir,
    _names(saved_model_tags),
    checkpoint_version,
  )


def freeze_graph_with_def_protos(
  input_graph_def,
  input_saver_def,
  input_checkpoint,
  output_node_names,
  restore_op_name,
  filename_tensor_name,
  output_graph,
  clear_devices,
  initializer_nodes,
  variable_names_whitelist="",
  variable_names_blacklist="",
  input_meta_graph_def=None,
  input_saved_model_dir=None,
  saved_model_tags=None,
  checkpoint_version=2,
):
  """Like `freeze_graph`, with messages in place of their files. Devices of nodes are removed if `clear_devices`, and those of a meta graph always."""
  del restore_op_name, filename_tensor_name
  if not input_saved_model_dir and not tf.train.checkpoint_exists(input_checkpoint):
    raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
  if not output_node_names:
    raise ValueError("You need to supply the name of a node to --output_node_names.")
  graph_def = input_meta_graph_def.graph_def if input_meta_graph_def else input_graph_def
  if clear_devices or input_meta_graph_def:
    for node in graph_def.node:
      node.device = ""
  with tf.Graph().as_default(), tf.Session() as session:
    if input_meta_graph_def:
      tf.train.import_meta_graph(input_meta_graph_def, clear_devices=True).restore(session, input_checkpoint)
    elif input_saved_model_dir:
      tf.saved_model.loader.load(session, saved_model_tags or [], input_saved_model_dir)
    else:
      tf.import_graph_def(graph_def, name="")
      _saver(session, input_saver_def, input_checkpoint, checkpoint_version).restore(session, input_checkpoint)
    if initializer_nodes:
      session.run(_names(initializer_nodes))
    frozen = tf.graph_util.convert_variables_to_constants(
      session,
      graph_def,
      _names(output_node_names),
      variable_names_whitelist=_names(variable_names_whitelist),
      variable_names_blacklist=_names(variable_names_blacklist),
    )
  if output_graph:
    graph_files.write(frozen, output_graph, binary=True)
  return frozen


def _names(text):
  """The names of a text with commas, or None for none."""
  return text.replace(" ", "").split(",") if text else None


def _saver(session, saver_def, checkpoint, version):
  """A saver of the variables that both the graph and the checkpoint have. Raises ValueError if the graph's are parts of them."""
  if saver_def:
    return tf.train.Saver(saver_def=saver_def, write_version=version)
  tensors = {}
  for name in tf.train.NewCheckpointReader(checkpoint).get_variable_to_shape_map():
    try:
      tensors[name] = session.graph.get_tensor_by_name(name + ":0")
    except KeyError:
      if any(operation.name.startswith(name + "/part_") for operation in session.graph.get_operations()):
        raise ValueError(
          "Models containing partition variables cannot be converted from checkpoint files. Please pass in a SavedModel using the "
          "flag --input_saved_model_dir."
        ) from None
  return tf.train.Saver(var_list=tensors, write_version=version)
