"""tf.contrib.session_bundle.session_bundle: loads an export into a session."""

import os

import millrace as tf
from millrace.contrib.session_bundle import constants, manifest
from millrace.framework.deprecation import deprecated


def maybe_session_bundle_dir(export_dir):
  """True if a folder has what an export consists of: a meta graph and variables."""
  return tf.gfile.Exists(os.path.join(export_dir, constants.META_GRAPH_DEF_FILENAME)) and bool(_variables_of(export_dir))


def _variables_of(export_dir):
  """The name of the files with variables as a Saver restores it, or an empty one."""
  if tf.gfile.Exists(os.path.join(export_dir, constants.VARIABLES_INDEX_FILENAME_V2)):
    return os.path.join(export_dir, constants.VARIABLES_FILENAME_V2)
  if tf.gfile.Exists(os.path.join(export_dir, constants.VARIABLES_FILENAME)):
    return os.path.join(export_dir, constants.VARIABLES_FILENAME)
  pattern = os.path.join(export_dir, constants.VARIABLES_FILENAME_PATTERN)
  return pattern if tf.gfile.Glob(pattern) else ""


@deprecated("2017-06-30", "No longer supported. Switch to SavedModel immediately.")
def load_session_bundle_from_path(export_dir, target="", config=None, meta_graph_def=None):
  """Makes a session with the graph and variables of an export; returns (session, its MetaGraphDef).

  `target` and `config` are those of tf.Session. A `meta_graph_def` is taken in the place of the export's own. Raises RuntimeError if
  files are missing.
  """
  if meta_graph_def is None:
    path = os.path.join(export_dir, constants.META_GRAPH_DEF_FILENAME)
    if not tf.gfile.Exists(path):
      raise RuntimeError(f"Expected meta graph file missing {path}")
    meta_graph_def = tf.MetaGraphDef.FromString(tf.gfile.GFile(path, "rb").read())
  variables = _variables_of(export_dir)
  if not variables:
    raise RuntimeError(f"No or incomplete checkpoint files found at {os.path.join(export_dir, constants.VARIABLES_FILENAME)}")
  collection = meta_graph_def.collection_def
  if constants.GRAPH_KEY in collection:
    graphs = collection[constants.GRAPH_KEY].any_list.value
    if len(graphs) != 1:
      raise RuntimeError(f"Expected exactly one serving GraphDef in : {meta_graph_def}")
    graphs[0].Unpack(meta_graph_def.graph_def)
  tf.reset_default_graph()
  session = tf.Session(target, graph=None, config=config)
  saver = tf.train.import_meta_graph(meta_graph_def)
  if saver is not None:
    saver.restore(session, variables)
  if constants.INIT_OP_KEY in collection:
    names = collection[constants.INIT_OP_KEY].node_list.value
    if len(names) != 1:
      raise RuntimeError(f"Expected exactly one serving init op in : {meta_graph_def}")
    session.run(tf.get_default_graph().get_operation_by_name(names[0]), _asset_feeds(export_dir, collection))
  return session, meta_graph_def


def _asset_feeds(export_dir, collection):
  """A dictionary from names of tensors to the paths of their files in the export."""
  feeds = {}
  if constants.ASSETS_KEY in collection:
    for value in collection[constants.ASSETS_KEY].any_list.value:
      asset = manifest.AssetFile()
      value.Unpack(asset)
      feeds[asset.tensor_binding.tensor_name] = os.path.join(export_dir, constants.ASSETS_DIRECTORY, asset.filename)
  return feeds
