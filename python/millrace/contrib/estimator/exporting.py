"""Exports of modes, as functions."""

from millrace.estimator.mode_keys import ModeKeys


def export_saved_model_for_mode(
  estimator, export_dir_base, input_receiver_fn, assets_extra=None, as_text=False, checkpoint_path=None, mode=ModeKeys.PREDICT
):
  """Exports the graph of a mode of an estimator; see `tf.estimator.Estimator.export_saved_model`."""
  return estimator.export_saved_model(
    export_dir_base,
    input_receiver_fn,
    assets_extra=assets_extra,
    as_text=as_text,
    checkpoint_path=checkpoint_path,
    experimental_mode=mode,
  )


def export_all_saved_models(
  estimator, export_dir_base, input_receiver_fn_map, assets_extra=None, as_text=False, checkpoint_path=None
):
  """Exports the graphs of several modes of an estimator into one SavedModel."""
  return estimator.experimental_export_all_saved_models(
    export_dir_base, input_receiver_fn_map, assets_extra=assets_extra, as_text=as_text, checkpoint_path=checkpoint_path
  )
