"""Writes SavedModels."""

import os

from google.protobuf import text_format

import millrace as tf
from millrace.framework import protos
from millrace.saved_model import keys, signatures
from millrace.train.saver import files, saveable


class SavedModelBuilder:
  """Writes a SavedModel into a new folder: variables with the first graph, then other graphs that share them.

  Raises AssertionError if the folder isn't empty, and for calls in another order.
  """

  def __init__(self, export_dir):
    self._saved_model = protos.SavedModel()
    self._saved_model.saved_model_schema_version = keys.SAVED_MODEL_SCHEMA_VERSION
    self._export_dir = tf.compat.as_str_any(export_dir)
    if tf.gfile.Exists(self._export_dir):
      if tf.gfile.ListDirectory(self._export_dir):
        raise AssertionError(
          f"Export directory {self._export_dir} already exists, and isn't empty. Please choose a different export directory, "
          "or delete all the contents of the specified directory."
        )
    else:
      tf.gfile.MakeDirs(self._export_dir)
    self._has_saved_variables = False

  def add_meta_graph_and_variables(
    self,
    sess,
    tags,
    signature_def_map=None,
    assets_collection=None,
    legacy_init_op=None,
    clear_devices=False,
    main_op=None,
    strip_default_attrs=False,
    saver=None,
  ):
    """Adds the session's graph under `tags`, with its signatures and assets, and saves its variables.

    `assets_collection` are constant tensors with names of files, which are copied; `main_op` is run after loading.
    """
    if self._has_saved_variables:
      raise AssertionError(
        "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` instead."
      )
    self._validate_signature_def_map(signature_def_map)
    main_op = main_op if main_op is not None else legacy_init_op
    with sess.graph.as_default():
      self._add_collections(assets_collection, main_op)
    folder = os.path.join(self._export_dir, keys.VARIABLES_DIRECTORY)
    tf.gfile.MakeDirs(folder)
    with sess.graph.as_default():
      saver = self._maybe_create_saver(saver)
      saver.save(sess, os.path.join(folder, keys.VARIABLES_FILENAME), write_meta_graph=False, write_state=False)
      meta_graph_def = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
    self._tag_and_add_meta_graph(meta_graph_def, tags, signature_def_map)
    self._has_saved_variables = True

  def add_meta_graph(
    self,
    tags,
    signature_def_map=None,
    assets_collection=None,
    legacy_init_op=None,
    clear_devices=False,
    main_op=None,
    strip_default_attrs=False,
    saver=None,
  ):
    """Adds the default graph under `tags`; its variables are those that were saved already."""
    if not self._has_saved_variables:
      raise AssertionError(
        "Graph state including variables and assets has not been saved yet. Please invoke `add_meta_graph_and_variables()` first."
      )
    self._validate_signature_def_map(signature_def_map)
    main_op = main_op if main_op is not None else legacy_init_op
    self._add_collections(assets_collection, main_op)
    saver = self._maybe_create_saver(saver)
    meta_graph_def = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
    self._tag_and_add_meta_graph(meta_graph_def, tags, signature_def_map)

  def save(self, as_text=False):
    """Writes the model, as bytes or text; returns the path of the file, as bytes."""
    if not tf.gfile.Exists(self._export_dir):
      tf.gfile.MakeDirs(self._export_dir)
    if as_text:
      path = os.path.join(self._export_dir, keys.SAVED_MODEL_FILENAME_PBTXT)
      files.write_atomically(path, text_format.MessageToString(self._saved_model))
    else:
      path = os.path.join(self._export_dir, keys.SAVED_MODEL_FILENAME_PB)
      files.write_atomically(path, self._saved_model.SerializeToString(deterministic=True))
    return tf.compat.as_bytes(path)

  def _maybe_create_saver(self, saver):
    if saver is None:
      # Sharded, so that each server writes its own variables.
      saver = tf.train.Saver(saveable.all_saveable_objects(), sharded=True, write_version=2, allow_empty=True)
    return saver

  def _tag_and_add_meta_graph(self, meta_graph_def, tags, signature_def_map):
    for tag in tags:
      meta_graph_def.meta_info_def.tags.append(tag)
    for key, signature_def in (signature_def_map or {}).items():
      meta_graph_def.signature_def[key].CopyFrom(protos.coerce(protos.SignatureDef, signature_def))
    self._saved_model.meta_graphs.add().CopyFrom(meta_graph_def)

  def _validate_signature_def_map(self, signature_def_map):
    for signature_def in (signature_def_map or {}).values():
      for info in (*signature_def.inputs.values(), *signature_def.outputs.values()):
        if info.WhichOneof("encoding") is None:
          raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' "
            "fields (e.g., name or coo_sparse) set."
          )

  def _add_collections(self, assets_collection, main_op):
    self._save_assets(assets_collection)
    if main_op is None:
      return
    if not isinstance(main_op, tf.Operation):
      raise TypeError(f"Expected {main_op} to be an Operation but got type {type(main_op)} instead.")
    # A name of a collection may be there from an earlier graph of the same model.
    tf.get_default_graph().clear_collection(keys.MAIN_OP_KEY)
    tf.add_to_collection(keys.MAIN_OP_KEY, main_op)

  def _save_assets(self, assets_collection):
    """Copies the files of the assets, and adds what they are called to the graph's collection."""
    if not assets_collection:
      return
    folder = os.path.join(self._export_dir, keys.ASSETS_DIRECTORY)
    names = {}
    for tensor in assets_collection:
      source = _asset_path(tensor)
      name = _unique_name(os.path.basename(source), source, names)
      names[name] = source
      asset = protos.AssetFileDef(filename=name)
      asset.tensor_info.name = tensor.name
      any_asset = protos.message_class("google.protobuf.Any")()
      any_asset.Pack(asset)
      tf.add_to_collection(keys.ASSETS_KEY, any_asset)
    tf.gfile.MakeDirs(folder)
    for name, source in names.items():
      if not tf.gfile.Exists(os.path.join(folder, name)):
        tf.gfile.Copy(source, os.path.join(folder, name))


def _unique_name(name, source, names):
  """A name that no other file has."""
  if names.get(name, source) == source:
    return name
  number = 1
  while names.get(f"{name}_{number}", source) != source:
    number += 1
  return f"{name}_{number}"


def _asset_path(tensor):
  """The file that a constant string tensor names. Raises TypeError for other tensors."""
  if not isinstance(tensor, tf.Tensor):
    raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
  if tensor.op.type != "Const":
    raise TypeError(f"Asset path tensor {tensor} must be of type constant.Has type {tensor.op.type} instead.")
  if tensor.dtype != tf.string:
    raise TypeError(f"Asset path tensor {tensor}` must be of dtype string.Has type {tensor.dtype} instead.")
  values = tensor.op.get_attr("value").string_val
  if len(values) != 1:
    raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
  return tf.compat.as_str_any(values[0])


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
  """Saves the session's graph for serving, with one signature of maps of names to tensors."""
  signature_def_map = {keys.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures.predict_signature_def(inputs, outputs)}
  builder = SavedModelBuilder(export_dir)
  builder.add_meta_graph_and_variables(
    session,
    tags=[keys.SERVING],
    signature_def_map=signature_def_map,
    assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
    main_op=legacy_init_op,
    clear_devices=True,
  )
  builder.save()
