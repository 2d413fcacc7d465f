"""Exporters: which evaluations of `train_and_evaluate` are followed by an export."""

import abc

import millrace as tf
from millrace.estimator.export import folders


class Exporter(metaclass=abc.ABCMeta):
  """Base class of what is called after each evaluation of `train_and_evaluate`."""

  @property
  @abc.abstractmethod
  def name(self):
    """The name of the folder of the exports."""

  @abc.abstractmethod
  def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
    """Exports into a folder below `export_path`, or doesn't; returns the path of the export or None."""


class _SavedModelExporter(Exporter):
  """Exports the model for serving each time that it is asked to. Raises ValueError for a name that is none."""

  def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
    self._name = name
    self._serving_input_receiver_fn = serving_input_receiver_fn
    self._assets_extra = assets_extra
    self._as_text = as_text

  @property
  def name(self):
    return self._name

  def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
    del is_the_final_export, eval_result
    return estimator.export_saved_model(
      export_path,
      self._serving_input_receiver_fn,
      assets_extra=self._assets_extra,
      as_text=self._as_text,
      checkpoint_path=checkpoint_path,
    )


class FinalExporter(Exporter):
  """Exports once, at the end of the training."""

  def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
    self._saved_model_exporter = _SavedModelExporter(name, serving_input_receiver_fn, assets_extra, as_text)

  @property
  def name(self):
    return self._saved_model_exporter.name

  def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
    if not is_the_final_export:
      return None
    tf.logging.info("Performing the final export in the end of training.")
    return self._saved_model_exporter.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)


def checked_exports_to_keep(exports_to_keep):
  """The number itself, or None for all. Raises ValueError if it isn't positive."""
  if exports_to_keep is not None and exports_to_keep <= 0:
    raise ValueError(f"`exports_to_keep`, if provided, must be positive number, given: {exports_to_keep}")
  return exports_to_keep


class LatestExporter(Exporter):
  """Exports after each evaluation, and keeps the newest `exports_to_keep` exports (None keeps all)."""

  def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False, exports_to_keep=5):
    self._saved_model_exporter = _SavedModelExporter(name, serving_input_receiver_fn, assets_extra, as_text)
    self._exports_to_keep = checked_exports_to_keep(exports_to_keep)

  @property
  def name(self):
    return self._saved_model_exporter.name

  def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
    result = self._saved_model_exporter.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)
    folders.delete_old_exports(export_path, self._exports_to_keep)
    return result
