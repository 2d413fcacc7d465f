"""Exports of estimators as SavedModels: a graph for each mode, with the variables of a checkpoint."""

import os

import millrace as tf
from millrace.estimator.export import folders, signature_maps
from millrace.estimator.mode_keys import ModeKeys
from millrace.saved_model import writing

_TRAIN_OP_COLLECTION = "saved_model_train_op"


def export(
  estimator,
  export_dir_base,
  input_receiver_fn_map,
  assets_extra=None,
  as_text=False,
  checkpoint_path=None,
  strip_default_attrs=True,
):
  """Writes the graphs of the modes of a map, with a checkpoint's variables, into a new folder; returns its path as bytes.

  Raises ValueError without a checkpoint or a mode.
  """
  checkpoint_path = checkpoint_path or estimator.latest_checkpoint() or _warm_start_checkpoint(estimator)
  if not checkpoint_path:
    raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
  export_dir = folders.timestamped_export_dir(export_dir_base)
  temp_dir = folders.temp_export_dir(export_dir)
  builder = writing.SavedModelBuilder(temp_dir)
  modes = [mode for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT) if input_receiver_fn_map.get(mode)]
  if not modes:
    raise ValueError(f"No valid modes for exporting found. Got {input_receiver_fn_map.keys()}.")
  for mode in modes:
    add_graph(estimator, builder, mode, input_receiver_fn_map[mode], checkpoint_path, mode == modes[0], strip_default_attrs)
  builder.save(as_text)
  _copy_assets(temp_dir, assets_extra)
  tf.gfile.Rename(temp_dir, export_dir)
  return export_dir


def _warm_start_checkpoint(estimator):
  """The checkpoint that a model which wasn't trained begins with, or None."""
  settings = estimator._warm_start_settings
  if not settings:
    return None
  path = settings.ckpt_to_initialize_from
  return tf.train.latest_checkpoint(path) if tf.gfile.IsDirectory(path) else path


def add_graph(estimator, builder, mode, input_receiver_fn, checkpoint_path, save_variables, strip_default_attrs):
  """Adds the graph of a mode, the first one with the variables. Raises ValueError if the checkpoint lacks some."""
  with tf.Graph().as_default() as graph:
    estimator._create_and_assert_global_step(graph)
    tf.set_random_seed(estimator.config.tf_random_seed)
    receiver = input_receiver_fn()
    spec = estimator._call_model_fn(receiver.features, getattr(receiver, "labels", None), mode, estimator.config)
    signature_def_map = signature_maps.build(
      receiver.receiver_tensors,
      signature_maps.outputs_of(mode, spec),
      getattr(receiver, "receiver_tensors_alternatives", None),
      serving_only=mode == ModeKeys.PREDICT,
    )
    init_op = spec.scaffold.local_init_op
    if init_op is None:
      init_op = tf.train.Scaffold.default_local_init_op()
    with tf.Session(config=estimator._session_config) as session:
      saver = spec.scaffold.saver or tf.train.Saver(sharded=True)
      _restore(saver, session, checkpoint_path, mode)
      if spec.train_op is not None:
        tf.add_to_collection(_TRAIN_OP_COLLECTION, spec.train_op)
      options = {
        "tags": signature_maps.TAGS[mode],
        "signature_def_map": signature_def_map,
        "assets_collection": tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
        "main_op": init_op,
        "saver": saver,
        "strip_default_attrs": strip_default_attrs,
      }
      if save_variables:
        builder.add_meta_graph_and_variables(session, **options)
      else:
        builder.add_meta_graph(**options)


def _restore(saver, session, checkpoint_path, mode):
  try:
    saver.restore(session, checkpoint_path)
  except tf.errors.NotFoundError as e:
    raise ValueError(
      "Could not load all requested variables from checkpoint. Please make sure your model_fn does not expect variables that "
      f"were not saved in the checkpoint.\n\nEncountered error with mode `{mode}` while restoring checkpoint from: "
      f"`{checkpoint_path}`. Full Traceback:\n\n{e}"
    ) from e


def _copy_assets(export_dir, assets_extra):
  """Copies files into the folder assets.extra of the export, to the paths that a map says."""
  if not assets_extra:
    return
  folder = os.path.join(tf.compat.as_str_any(export_dir), "assets.extra")
  for path, source in assets_extra.items():
    target = os.path.join(folder, tf.compat.as_str_any(path))
    tf.gfile.MakeDirs(os.path.dirname(target))
    tf.gfile.Copy(source, target)
