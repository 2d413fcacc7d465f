"""Estimator of tf.contrib.learn: fit, evaluate and predict with a model function, on arrays or on input functions."""

import copy

import numpy as np

import millrace as tf
from millrace.contrib.learn import data_feeding, exporting, metrics_of_evaluation, model_calls
from millrace.contrib.learn import run_config as run_config_lib
from millrace.contrib.learn.interfaces import Evaluable, Trainable
from millrace.contrib.learn.mode_keys import ModeKeys
from millrace.contrib.learn.monitors import adapters
from millrace.contrib.learn.sklearn_form import NotFittedError, Parameters
from millrace.estimator import estimator as core_estimator
from millrace.estimator import run_config as core_run_config


class BaseEstimator(Parameters, Evaluable, Trainable):
  """Base class of estimators: derived classes have `_call_model_fn(features, labels, mode, metrics, config)`.

  `model_dir` is the folder of checkpoints, a temporary one by default; `config` a RunConfig. Raises ValueError if both name a
  folder, and they differ.
  """

  def __init__(self, model_dir=None, config=None):
    if config is None:
      config = run_config_lib.RunConfig()
      tf.logging.info("Using default config.")
    if model_dir is not None and config.model_dir is not None and model_dir != config.model_dir:
      raise ValueError(
        "model_dir are set both in constructor and RunConfig, but with different values. In constructor: "
        f"'{model_dir}', in RunConfig: '{config.model_dir}' "
      )
    self._config = core_estimator._configuration(_with_session_config(config), model_dir)
    self._model_dir = self._config.model_dir

  @property
  def config(self):
    """A copy of the configuration."""
    return copy.deepcopy(self._config)

  @property
  def model_dir(self):
    return self._model_dir

  @property
  def model_fn(self):
    """The model function, with the arguments features, labels and mode."""

    def call(features, labels, mode):
      return self._call_model_fn(features, labels, mode)

    return call

  def _call_model_fn(self, features, labels, mode, metrics=None, config=None):
    """The ModelFnOps of a mode, with the metrics of `metrics`."""
    raise NotImplementedError("_call_model_fn not implemented in BaseEstimator")

  def fit(self, x=None, y=None, input_fn=None, steps=None, batch_size=None, monitors=None, max_steps=None):
    """Trains for `steps` steps more or to the step `max_steps`, on arrays or an input function; returns itself.

    Raises ValueError for both numbers, and for arrays beside an input function.
    """
    if steps is not None and max_steps is not None:
      raise ValueError("Can not provide both steps and max_steps.")
    input_fn, feed_fn = data_feeding.input_and_feed(x, y, input_fn, None, batch_size, shuffle=True, epochs=None)
    hooks = adapters.replace_monitors_with_hooks(monitors, self)
    self._core().train(input_fn, hooks=[*_feed_hooks(feed_fn), *hooks], steps=steps, max_steps=max_steps)
    return self

  def partial_fit(self, x=None, y=None, input_fn=None, steps=1, batch_size=None, monitors=None):
    """Trains for a step, by default; the same as `fit`."""
    return self.fit(x=x, y=y, input_fn=input_fn, steps=steps, batch_size=batch_size, monitors=monitors)

  def evaluate(
    self,
    x=None,
    y=None,
    input_fn=None,
    feed_fn=None,
    batch_size=None,
    steps=None,
    metrics=None,
    name=None,
    checkpoint_path=None,
    hooks=None,
    log_progress=True,
  ):
    """Evaluates on arrays or an input function; returns a map of the metrics, the loss and the step.

    `metrics` maps names to MetricSpecs, or pairs of a name and a key of predictions to functions. Raises NotFittedError without a
    checkpoint.
    """
    input_fn, feed_fn = data_feeding.input_and_feed(x, y, input_fn, feed_fn, batch_size, shuffle=False, epochs=1)
    if metrics is not None and not isinstance(metrics, dict):
      raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")  # noqa: TRY004 (TensorFlow's class)
    if steps == 0:
      return None
    self._check_fitted(checkpoint_path)
    core = self._core(metrics=metrics)
    if not log_progress:
      core = _Silent(core)
    return core.evaluate(
      input_fn, steps=steps, hooks=[*_feed_hooks(feed_fn), *(hooks or [])], checkpoint_path=checkpoint_path, name=name
    )

  def predict(self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True, iterate_batches=False):
    """Predictions for arrays or an input function: a generator, or arrays if not `as_iterable`.

    `outputs` are names of those that are wanted. With `iterate_batches` it gives batches instead of examples. An input function
    without queue runners is taken for constant: it gives one batch, and so does every one if not `as_iterable`. Raises
    NotFittedError without a checkpoint.
    """
    return self._infer(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

  def _infer(self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True, iterate_batches=False):
    """As `predict`, which derived classes change: without `outputs` those of all names."""
    input_fn, feed_fn = data_feeding.input_and_feed(x, None, input_fn, None, batch_size, shuffle=False, epochs=1)
    self._check_fitted(None)
    hooks = _feed_hooks(feed_fn)
    if feed_fn is None:
      hooks.append(_EndOfConstantInput(is_always_one_batch=not as_iterable))
    results = self._core(outputs=outputs).predict(
      _only_features(input_fn),
      hooks=hooks,
      yield_single_examples=as_iterable and not iterate_batches,
    )
    if as_iterable:
      return results
    batches = list(results)
    if batches and isinstance(batches[0], dict):
      return {key: np.concatenate([batch[key] for batch in batches]) for key in batches[0]}
    return np.concatenate(batches)

  def _check_fitted(self, checkpoint_path):
    if not (checkpoint_path or tf.train.latest_checkpoint(self._model_dir)):
      raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")

  def get_variable_value(self, name):
    """The value of a variable in the newest checkpoint."""
    return tf.train.load_variable(self._model_dir, name)

  def get_variable_names(self):
    """The names of all that is in the newest checkpoint."""
    return [name for name, _ in tf.train.list_variables(self._model_dir)]

  def latest_checkpoint(self):
    """The path of the newest checkpoint, or None."""
    return tf.train.latest_checkpoint(self._model_dir)

  def export(self, *args, **kwargs):
    """Not offered: the format of before SavedModel."""
    del args, kwargs
    raise NotImplementedError(
      "Estimator.export is not part of Millrace: it wrote a format of before SavedModel. Use export_savedmodel."
    )

  def export_savedmodel(
    self,
    export_dir_base,
    serving_input_fn,
    default_output_alternative_key=None,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    graph_rewrite_specs=None,
    strip_default_attrs=False,
  ):
    """Exports the model for serving into a new folder below `export_dir_base`, which it returns as bytes.

    `serving_input_fn` returns InputFnOps. Of several alternatives of outputs the key names the default. Raises ValueError for
    rewritten graphs, which are not offered.
    """
    if graph_rewrite_specs:
      raise ValueError("graph_rewrite_specs has to be None: graphs are exported as they are.")
    return exporting.export_savedmodel(
      self,
      export_dir_base,
      serving_input_fn,
      default_output_alternative_key,
      assets_extra,
      as_text,
      checkpoint_path,
      strip_default_attrs,
    )

  def _core(self, metrics=None, outputs=None):
    """An estimator of tf.estimator that does what is asked for."""

    def model_fn(features, labels, mode, config):
      mode = ModeKeys.INFER if mode == tf.estimator.ModeKeys.PREDICT else mode
      made = self._call_model_fn(features, labels, mode, config=config)
      if mode == ModeKeys.INFER:
        return made._replace(predictions=_wanted(made.predictions, outputs), output_alternatives=None).estimator_spec()
      if mode == ModeKeys.EVAL:
        more = metrics_of_evaluation.make(metrics, features, labels, made.predictions)
        made = made._replace(eval_metric_ops={**made.eval_metric_ops, **more})
      return made._replace(output_alternatives=None).estimator_spec()

    return _Core(model_fn=model_fn, config=self._config)


class _Core(core_estimator.Estimator):
  """An estimator whose models may report a "loss" of their own: heads with weights train by another one than they report."""

  def _call_model_fn_eval(self, features, labels, config):
    spec = self._call_model_fn(features, labels, tf.estimator.ModeKeys.EVAL, config)
    return spec._replace(eval_metric_ops={"loss": tf.metrics.mean(spec.loss), **spec.eval_metric_ops})


class _Silent:
  """An estimator whose evaluations don't say how far they are."""

  def __init__(self, core):
    self._core = core

  def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
    from millrace.estimator.evaluation import StopAfterNEvalsHook

    if steps is not None:
      hooks = [*hooks, StopAfterNEvalsHook(steps, log_progress=False)]
    return self._core.evaluate(input_fn, hooks=hooks, checkpoint_path=checkpoint_path, name=name)


def _with_session_config(config):
  """The configuration with one of sessions.

  Where none is given, ops may run elsewhere than they ask for, and on a cluster sessions see only the devices that the task uses.
  """
  session_config = tf.ConfigProto()
  session_config.CopyFrom(run_config_lib.tf_config_of(config))
  if config.session_config is None:
    session_config.allow_soft_placement = True
  if config.session_config is None and config.cluster_spec and not session_config.device_filters:
    filters = core_run_config._device_filters(config.task_type, config.task_id)
    if filters is not None:
      session_config.device_filters.extend(filters)
  return core_run_config.RunConfig._replace(
    copy.deepcopy(config), allowed_properties_list=["session_config"], session_config=session_config
  )


class _EndOfConstantInput(tf.train.SessionRunHook):
  """Ends predictions after a batch, where no queue runner would end them with an error: each further batch would be the same."""

  def __init__(self, is_always_one_batch):
    self._is_always_one_batch = is_always_one_batch

  def after_run(self, run_context, run_values):
    if self._is_always_one_batch or not run_context.session.graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
      run_context.request_stop()


def _feed_hooks(feed_fn):
  return [] if feed_fn is None else [tf.train.FeedFnHook(feed_fn)]


def _only_features(input_fn):
  """An input function without the labels, which predictions have no use for."""

  def features():
    result = input_fn()
    return result[0] if isinstance(result, tuple) and len(result) == 2 else result

  return features


def _wanted(predictions, outputs):
  """Those of the predictions that have one of the names. Raises ValueError if none has, or if they have no names."""
  if not outputs:
    return predictions
  if not isinstance(predictions, dict):
    raise ValueError("outputs argument is not valid in case of non-dict predictions.")
  found = {key: value for key, value in predictions.items() if key in outputs}
  if not found:
    raise ValueError(f"Expected to run at least one output from {list(predictions)}, provided {outputs}.")
  return found


class Estimator(BaseEstimator):
  """An estimator with the model of a function.

  `model_fn(features, labels)` may also have the arguments mode, params, config and model_dir; it returns ModelFnOps, or a triple
  of predictions, loss and an op that trains. `feature_engineering_fn(features, labels)` changes both before. Raises ValueError
  for functions of other arguments.
  """

  def __init__(self, model_fn=None, model_dir=None, config=None, params=None, feature_engineering_fn=None):
    super().__init__(model_dir=model_dir, config=config)
    if model_fn is not None:
      model_calls.check(model_fn, params)
    self._model_fn = model_fn
    self.params = params
    self._feature_engineering_fn = feature_engineering_fn

  def _call_model_fn(self, features, labels, mode, metrics=None, config=None):
    if self._feature_engineering_fn is not None:
      features, labels = self._feature_engineering_fn(features, labels)
    made = model_calls.call(self._model_fn, features, labels, mode, self.params, config or self.config, self.model_dir)
    if metrics is None:
      return made
    more = metrics_of_evaluation.make(metrics, features, labels, made.predictions)
    return made._replace(eval_metric_ops={**made.eval_metric_ops, **more})
