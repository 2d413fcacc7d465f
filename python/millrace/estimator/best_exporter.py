"""BestExporter: exports the models whose evaluation is better than all before."""

import os

import millrace as tf
from millrace.estimator import event_metrics
from millrace.estimator.export import folders
from millrace.estimator.exporters import Exporter, _SavedModelExporter, checked_exports_to_keep

_LOSS = "loss"


def _loss_smaller(best_eval_result, current_eval_result):
  """Whether the present evaluation has the smaller loss. Raises ValueError for a map without one."""
  if not best_eval_result or _LOSS not in best_eval_result:
    raise ValueError("best_eval_result cannot be empty or no loss is found in it.")
  if not current_eval_result or _LOSS not in current_eval_result:
    raise ValueError("current_eval_result cannot be empty or no loss is found in it.")
  return best_eval_result[_LOSS] > current_eval_result[_LOSS]


def _check_compare_fn(compare_fn):
  """Raises ValueError if a function lacks the two arguments or has others."""
  from millrace.estimator import arguments

  names = set(arguments.names_of(compare_fn))
  for name in ("best_eval_result", "current_eval_result"):
    if name not in names:
      raise ValueError(f"compare_fn ({compare_fn}) must include {name} argument.")
  others = list(names - {"best_eval_result", "current_eval_result"})
  if others:
    raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {others}")


class BestExporter(Exporter):
  """Exports when `compare_fn(best_eval_result, current_eval_result)` says that the present evaluation is better.

  The best so far is found in the files of `event_file_pattern` below the estimator's folder, so that a training which goes on
  after a failure knows it. Keeps the newest `exports_to_keep` exports (None keeps all). Raises ValueError for functions of other
  arguments.
  """

  def __init__(
    self,
    name="best_exporter",
    serving_input_receiver_fn=None,
    event_file_pattern="eval/*.tfevents.*",
    compare_fn=_loss_smaller,
    assets_extra=None,
    as_text=False,
    exports_to_keep=5,
  ):
    self._compare_fn = compare_fn
    if self._compare_fn is None:
      raise ValueError("`compare_fn` must not be None.")
    _check_compare_fn(self._compare_fn)
    self._saved_model_exporter = _SavedModelExporter(name, serving_input_receiver_fn, assets_extra, as_text)
    self._event_file_pattern = event_file_pattern
    self._model_dir = None
    self._best_eval_result = None
    self._has_exported = False
    self._exports_to_keep = checked_exports_to_keep(exports_to_keep)

  @property
  def name(self):
    return self._saved_model_exporter.name

  def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
    export_result = None
    if self._model_dir != estimator.model_dir and self._event_file_pattern:
      tf.logging.info("Loading best metric from event files.")
      self._model_dir = estimator.model_dir
      self._best_eval_result = self._best_of_files(os.path.join(self._model_dir, self._event_file_pattern))
    if (
      self._best_eval_result is None
      or not self._has_exported
      or self._compare_fn(best_eval_result=self._best_eval_result, current_eval_result=eval_result)
    ):
      tf.logging.info("Performing best model export.")
      self._best_eval_result = eval_result
      export_result = self._saved_model_exporter.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)
      folders.delete_old_exports(export_path, self._exports_to_keep)
      self._has_exported = True
    return export_result

  def _best_of_files(self, pattern):
    """The best evaluation of the files, or None."""
    best = None
    for metrics in event_metrics.by_step(pattern).values():
      if best is None or self._compare_fn(best_eval_result=best, current_eval_result=metrics):
        best = metrics
    return best
