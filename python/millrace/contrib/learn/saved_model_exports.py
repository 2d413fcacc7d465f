"""saved_model_export_utils: strategies of exports, and the folders of exports."""

import os

import millrace as tf
from millrace.contrib.learn import input_fn_ops
from millrace.contrib.learn.export_strategy import ExportStrategy
from millrace.contrib.learn.exporting import (  # noqa: F401 (names of this module)
  DEFAULT_INPUT_ALTERNATIVE_KEY,
  DEFAULT_OUTPUT_ALTERNATIVE_KEY,
  FEATURES_INPUT_ALTERNATIVE_KEY,
  build_all_signature_defs,
  build_standardized_signature_def,
  get_input_alternatives,
  get_output_alternatives,
)
from millrace.estimator import event_metrics
from millrace.estimator.estimator import Estimator as CoreEstimator
from millrace.estimator.export.folders import delete_old_exports, exports_of
from millrace.estimator.export.folders import temp_export_dir as get_temp_export_dir  # noqa: F401
from millrace.estimator.export.folders import timestamped_export_dir as get_timestamped_export_dir  # noqa: F401


def get_most_recent_export(export_dir_base):
  """The path of the newest export of a folder, or None."""
  found = exports_of(export_dir_base)
  return found[-1] if found else None


def garbage_collect_exports(export_dir_base, exports_to_keep):
  """Deletes all but the newest exports of a folder; None keeps all."""
  delete_old_exports(export_dir_base, exports_to_keep)


def make_export_strategy(
  serving_input_fn,
  default_output_alternative_key=None,
  assets_extra=None,
  as_text=False,
  exports_to_keep=5,
  strip_default_attrs=None,
):
  """The strategy "Servo", which exports each time and keeps the newest exports.

  Raises ValueError when it exports an estimator of tf.estimator with a key of outputs, which those don't have.
  """

  def export_fn(estimator, export_dir_base, checkpoint_path=None, strip_default_attrs=False):
    options = {
      "assets_extra": assets_extra,
      "as_text": as_text,
      "checkpoint_path": checkpoint_path,
      "strip_default_attrs": strip_default_attrs,
    }
    if isinstance(estimator, CoreEstimator):
      if default_output_alternative_key is not None:
        raise ValueError(
          f"default_output_alternative_key is not supported in core Estimator. Given: {default_output_alternative_key}"
        )
      result = estimator._export_all_saved_models(export_dir_base, {tf.estimator.ModeKeys.PREDICT: serving_input_fn}, **options)
    else:
      result = estimator.export_savedmodel(
        export_dir_base, serving_input_fn, default_output_alternative_key=default_output_alternative_key, **options
      )
    garbage_collect_exports(export_dir_base, exports_to_keep)
    return result

  return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_parsing_export_strategy(
  feature_columns,
  default_output_alternative_key=None,
  assets_extra=None,
  as_text=False,
  exports_to_keep=5,
  target_core=False,
  strip_default_attrs=None,
):
  """A strategy whose exports parse Examples with the features of columns.

  `target_core` says that the estimator and the columns are those of tf.estimator and tf.feature_column.
  """
  if target_core:
    spec = tf.feature_column.make_parse_example_spec(feature_columns)
    serving_input_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
  else:
    spec = tf.contrib.layers.create_feature_spec_for_parsing(feature_columns)
    serving_input_fn = input_fn_ops.build_parsing_serving_input_fn(spec)
  return make_export_strategy(
    serving_input_fn,
    default_output_alternative_key=default_output_alternative_key,
    assets_extra=assets_extra,
    as_text=as_text,
    exports_to_keep=exports_to_keep,
    strip_default_attrs=strip_default_attrs,
  )


def _default_compare_fn(curr_best_eval_result, cand_eval_result):
  """Whether the candidate has the smaller loss. Raises ValueError for a map without one."""
  for result, name in ((curr_best_eval_result, "curr_best_eval_result"), (cand_eval_result, "cand_eval_result")):
    if not result or "loss" not in result:
      raise ValueError(f"{name} cannot be empty or no loss is found in it.")
  return curr_best_eval_result["loss"] > cand_eval_result["loss"]


class BestModelSelector:
  """Tells whether a checkpoint is the best so far, also among those whose evaluations are in files of events."""

  def __init__(self, event_file_pattern=None, compare_fn=None):
    self._compare_fn = compare_fn or _default_compare_fn
    self._best_eval_result = self._best_of_files(event_file_pattern)

  def update(self, checkpoint_path, eval_result):
    """The checkpoint and its evaluation if it is the best so far, else (None, None)."""
    if self._best_eval_result is None or self._compare_fn(
      curr_best_eval_result=self._best_eval_result, cand_eval_result=eval_result
    ):
      self._best_eval_result = eval_result
      return checkpoint_path, eval_result
    return None, None

  def _best_of_files(self, pattern):
    best = None
    for metrics in event_metrics.by_step(pattern).values() if pattern else ():
      if best is None or self._compare_fn(curr_best_eval_result=best, cand_eval_result=metrics):
        best = metrics
    return best


def make_best_model_export_strategy(
  serving_input_fn,
  exports_to_keep=1,
  model_dir=None,
  event_file_pattern=None,
  compare_fn=None,
  default_output_alternative_key=None,
  strip_default_attrs=None,
):
  """The strategy "best_model", which exports when an evaluation is better than all before, those of files among them."""
  strategy = make_export_strategy(
    serving_input_fn,
    exports_to_keep=exports_to_keep,
    default_output_alternative_key=default_output_alternative_key,
    strip_default_attrs=strip_default_attrs,
  )
  pattern = os.path.join(model_dir, event_file_pattern) if model_dir and event_file_pattern else None
  selector = BestModelSelector(pattern, compare_fn)

  def export_fn(estimator, export_dir_base, checkpoint_path, eval_result=None):
    if not checkpoint_path:
      # An evaluation of the newest checkpoint says no path.
      checkpoint_path = tf.train.latest_checkpoint(estimator.model_dir)
    path, _ = selector.update(checkpoint_path, eval_result)
    if path and os.path.exists(path + ".index"):
      return strategy.export(estimator, export_dir_base, path)
    return ""

  return ExportStrategy("best_model", export_fn)


def extend_export_strategy(base_export_strategy, post_export_fn, post_export_name=None):
  """A strategy that calls `post_export_fn(path)` with what another one exported, and exports what it returns.

  The function's path has to be below the folder of the exports; otherwise ValueError is raised.
  """

  def export_fn(estimator, export_dir_base, checkpoint_path=None):
    base = os.path.join(export_dir_base, "..", "tmp-" + base_export_strategy.name)
    made = base_export_strategy.export(estimator, base, checkpoint_path)
    made = tf.compat.as_str_any(made)
    target = os.path.join(export_dir_base, os.path.basename(made))
    result = post_export_fn(made, target)
    if result is not None and not tf.compat.as_str_any(result).startswith(tf.compat.as_str_any(export_dir_base)):
      raise ValueError(f"The post export function has to write below {export_dir_base}, and wrote {result}.")
    tf.gfile.DeleteRecursively(made)
    return tf.compat.as_bytes(target if result is None else result)

  return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)
