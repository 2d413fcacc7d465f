"""tf.contrib.session_bundle.exporter.Exporter."""

import os

import millrace as tf
from millrace.contrib.session_bundle import constants, kept_exports, manifest, signatures
from millrace.framework.deprecation import deprecated


def gfile_copy_callback(files_to_copy, export_dir_path):
  """Copies files, a dictionary from their paths to names, into the folder of an export."""
  tf.logging.info("Write assets into: %s using gfile_copy.", export_dir_path)
  tf.gfile.MakeDirs(export_dir_path)
  for path, name in files_to_copy.items():
    tf.gfile.Copy(path, os.path.join(export_dir_path, name))


class Exporter:
  """Writes a graph and what a Saver saves into folders with numbers, with the signatures that a server asks for.

  `init` comes first; then `export` may be called for several steps.
  """

  @deprecated("2017-06-30", "No longer supported. Switch to SavedModel immediately.")
  def __init__(self, saver):
    self._saver = saver
    self._assets_to_copy = {}
    self._assets_callback = None
    self._has_init = False

  def init(
    self,
    graph_def=None,
    init_op=None,
    clear_devices=False,
    default_graph_signature=None,
    named_graph_signatures=None,
    assets_collection=None,
    assets_callback=gfile_copy_callback,
  ):
    """Says what is exported, by collections of the default graph.

    `graph_def` is exported in the place of the graph that is there then; `init_op` runs after loading. `assets_collection` are constant
    tensors with paths of files, which `assets_callback(paths to names, folder)` brings into the export.

    Raises RuntimeError if it was called before.
    """
    if self._has_init:
      raise RuntimeError("init should be called only once")
    graph = tf.get_default_graph()
    if graph_def is not None or clear_devices:
      copy = tf.GraphDef()
      copy.CopyFrom(graph.as_graph_def() if graph_def is None else graph_def)
      if clear_devices:
        for node in copy.node:
          node.device = ""
      graph.add_to_collection(constants.GRAPH_KEY, signatures.packed(copy))
    if init_op is not None:
      if not isinstance(init_op, tf.Operation):
        raise TypeError("init_op needs to be an Operation: %s" % init_op)
      graph.add_to_collection(constants.INIT_OP_KEY, init_op)
    message = manifest.Signatures()
    if default_graph_signature is not None:
      message.default_signature.CopyFrom(default_graph_signature)
    for name, signature in (named_graph_signatures or {}).items():
      message.named_signatures[name].CopyFrom(signature)
    graph.add_to_collection(constants.SIGNATURES_KEY, signatures.packed(message))
    self._add_assets(graph, assets_collection or [])
    self._assets_callback = assets_callback
    self._has_init = True

  def _add_assets(self, graph, tensors):
    for tensor in tensors:
      value = tf.contrib.util.constant_value(tensor)
      if value is None:
        raise ValueError("Expected an asset's constant tensor of its path, got %s" % tensor.name)
      path = tf.compat.as_text(value.item())
      if not path:
        raise ValueError("Invalid asset filepath %s" % tensor.name)
      asset = manifest.AssetFile(filename=os.path.basename(path))
      asset.tensor_binding.tensor_name = tensor.name
      graph.add_to_collection(constants.ASSETS_KEY, signatures.packed(asset))
      self._assets_to_copy[path] = asset.filename

  def export(self, export_dir_base, global_step_tensor, sess=None, exports_to_keep=None):
    """Writes an export into a folder below `export_dir_base` that has the global step for its name; returns the folder.

    With `exports_to_keep`, older ones are removed but for so many. Raises RuntimeError without `init`, or if the folder is there.
    """
    if not self._has_init:
      raise RuntimeError("init must be called first")
    sess = sess or tf.get_default_session()
    # A tensor of its own needs no session that has initialized it.
    step = int(sess.run(global_step_tensor)) if not isinstance(global_step_tensor, int) else global_step_tensor
    folder = os.path.join(tf.compat.as_text(export_dir_base), constants.EXPORT_SUFFIX_FORMAT % step)
    if tf.gfile.Exists(folder):
      raise RuntimeError(f"Overwriting exports can cause corruption and are not allowed. Duplicate export dir: {folder}")
    # What reads exports sees them whole or not at all.
    unfinished = folder + "-tmp"
    if tf.gfile.Exists(unfinished):
      tf.gfile.DeleteRecursively(unfinished)
    tf.gfile.MakeDirs(unfinished)
    path = os.path.join(unfinished, constants.EXPORT_BASE_NAME)
    self._saver.save(sess, path, write_meta_graph=False, write_state=False)
    self._saver.export_meta_graph(os.path.join(unfinished, constants.META_GRAPH_DEF_FILENAME))
    if self._assets_callback is not None and self._assets_to_copy:
      self._assets_callback(self._assets_to_copy, os.path.join(unfinished, constants.ASSETS_DIRECTORY))
    tf.gfile.Rename(unfinished, folder)
    if exports_to_keep:
      kept_exports.remove_others(tf.compat.as_text(export_dir_base), kept_exports.largest_export_versions(exports_to_keep))
    return folder
