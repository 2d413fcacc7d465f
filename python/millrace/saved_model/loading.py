"""Reads SavedModels."""

import os

from google.protobuf import text_format

import millrace as tf
from millrace.framework import graph as graph_lib
from millrace.framework import protos
from millrace.saved_model import keys
from millrace.train.saver import files, meta_graphs, saveable


def parse_saved_model(export_dir):
  """The SavedModel message of a folder. Raises OSError if there is none, or none that can be read."""
  export_dir = tf.compat.as_str_any(export_dir)
  pb = os.path.join(export_dir, keys.SAVED_MODEL_FILENAME_PB)
  pbtxt = os.path.join(export_dir, keys.SAVED_MODEL_FILENAME_PBTXT)
  saved_model = protos.SavedModel()
  if tf.gfile.Exists(pb):
    try:
      saved_model.ParseFromString(files.read(pb))
    except Exception as e:
      raise OSError(f"Cannot parse file {pb}: {e}.") from e
    return saved_model
  if tf.gfile.Exists(pbtxt):
    try:
      text_format.Merge(files.read(pbtxt).decode("utf-8"), saved_model)
    except text_format.ParseError as e:
      raise OSError(f"Cannot parse file {pbtxt}: {e}.") from e
    return saved_model
  raise OSError(
    f"SavedModel file does not exist at: {export_dir}/{{{keys.SAVED_MODEL_FILENAME_PBTXT}|{keys.SAVED_MODEL_FILENAME_PB}}}"
  )


def maybe_saved_model_directory(export_dir):
  """Whether the folder has the file of a SavedModel."""
  return any(
    tf.gfile.Exists(os.path.join(export_dir, name)) for name in (keys.SAVED_MODEL_FILENAME_PB, keys.SAVED_MODEL_FILENAME_PBTXT)
  )


def _meta_graph_of(saved_model, tags):
  available = [set(m.meta_info_def.tags) for m in saved_model.meta_graphs]
  for meta_graph_def, found in zip(saved_model.meta_graphs, available):
    if found == set(tags):
      return meta_graph_def
  wanted = str(tags).strip("[]")
  raise RuntimeError(
    f"MetaGraphDef associated with tags {wanted} could not be found in SavedModel, with available tags '{available}'. "
    "To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`."
  )


def _asset_feeds(export_dir, meta_graph_def, import_scope):
  """A map of the names of tensors to the paths of their assets."""
  feeds = {}
  assets = list(meta_graph_def.asset_file_def)
  if keys.ASSETS_KEY in meta_graph_def.collection_def:
    for any_asset in meta_graph_def.collection_def[keys.ASSETS_KEY].any_list.value:
      asset = protos.AssetFileDef()
      any_asset.Unpack(asset)
      assets.append(asset)
  folder = os.path.join(export_dir, keys.ASSETS_DIRECTORY)
  for asset in assets:
    name = graph_lib.prepend_name_scope(asset.tensor_info.name, import_scope)
    feeds[name] = os.path.join(folder, asset.filename)
  return feeds


def _init_op(meta_graph_def, import_scope):
  """The op to run after loading, or None. Raises RuntimeError if there are several."""
  if keys.INIT_OP_SIGNATURE_KEY in meta_graph_def.signature_def:
    name = meta_graph_def.signature_def[keys.INIT_OP_SIGNATURE_KEY].outputs[keys.INIT_OP_SIGNATURE_KEY].name
    return tf.get_default_graph().as_graph_element(graph_lib.prepend_name_scope(name, import_scope))
  for key in (keys.MAIN_OP_KEY, keys.LEGACY_INIT_OP_KEY):
    if key not in meta_graph_def.collection_def:
      continue
    names = meta_graph_def.collection_def[key].node_list.value
    if not names:
      continue
    if len(names) != 1:
      raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {list(names)}.")
    return tf.get_default_graph().as_graph_element(graph_lib.prepend_name_scope(names[0], import_scope))
  return None


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
  """Loads the graph with exactly these tags into the session: nodes, variables, tables; returns its MetaGraphDef.

  Other arguments are those of the import. Raises RuntimeError if no graph has the tags, OSError without a model.
  """
  meta_graph_def = _meta_graph_of(parse_saved_model(export_dir), tags)
  with sess.graph.as_default():
    saver = meta_graphs.import_meta_graph(meta_graph_def, import_scope=import_scope, **saver_kwargs)
    path = os.path.join(tf.compat.as_str_any(export_dir), keys.VARIABLES_DIRECTORY, keys.VARIABLES_FILENAME)
    if saver is None:
      if saveable.all_saveable_objects(scope=import_scope):
        raise ValueError("No saver was found for the variables of the graph.")
      tf.logging.info("The specified SavedModel has no variables; no checkpoints were restored.")
    else:
      saver.restore(sess, path)
    feeds = _asset_feeds(tf.compat.as_str_any(export_dir), meta_graph_def, import_scope)
    init_op = _init_op(meta_graph_def, import_scope)
    if init_op is not None:
      sess.run(fetches=[init_op], feed_dict=feeds)
  return meta_graph_def
