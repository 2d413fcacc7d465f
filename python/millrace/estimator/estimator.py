"""Estimator: a model function with a folder for its checkpoints, and what can be done with both."""

import copy
import os
import tempfile

import millrace as tf
from millrace.estimator import (
  evaluation,
  input_results,
  model_calls,
  prediction,
  result_summaries,
  run_config,
  training,
  warm_start,
)
from millrace.estimator.cluster_environment import TaskType
from millrace.estimator.export import saved_models
from millrace.estimator.mode_keys import ModeKeys
from millrace.framework.deprecation import deprecated
from millrace.train import steps as steps_lib
from millrace.train.device_setter import STANDARD_PS_OPS

_LOSS = "loss"
# What classes that derive from Estimator may have of their own; anything else would change what others rely on.
_OVERRIDABLE = {
  "_assert_members_are_not_overridden",
  "_create_and_assert_global_step",
  "_export_all_saved_models",
  "_tf_api_names",
  "_tf_api_names_v1",
  "_estimator_api_names",
  "_estimator_api_names_v1",
  "_estimator_api_constants",
  "_estimator_api_constants_v1",
  "latest_checkpoint",
  "model_fn",
}


class Estimator:
  """Trains, evaluates, asks and exports the model of a function.

  `model_fn(features, labels, mode, params, config)` builds a model in the default graph and returns an EstimatorSpec; it need not
  have the arguments that it doesn't use. `model_dir` is where checkpoints and summaries are, a temporary folder by default.
  `params` are handed to the functions. A new model begins with the values of `warm_start_from`, a checkpoint or
  WarmStartSettings. Raises ValueError for arguments that contradict each other.
  """

  def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
    self._assert_members_are_not_overridden(self)
    self._config = _configuration(config, model_dir)
    self._model_dir = self._config.model_dir
    self._session_config = self._config.session_config
    tf.logging.info("Using config: %s", vars(self._config))
    self._device_fn = self._config.device_fn or _device_fn(self._config)
    if model_fn is None:
      raise ValueError("model_fn must be provided to Estimator.")
    model_calls.check_model_fn(model_fn, params)
    self._model_fn = model_fn
    self._params = copy.deepcopy(params or {})
    self._warm_start_settings = warm_start.settings_of(warm_start_from)

  @staticmethod
  def _assert_members_are_not_overridden(estimator):
    """Raises ValueError if a class between Estimator and the object's own replaces what others rely on."""
    members = {name for name in dir(Estimator) if not name.startswith("__")} - _OVERRIDABLE
    own = set()
    for cls in type(estimator).__mro__:
      if cls is Estimator:
        break
      if cls.__module__.split(".")[0] != "millrace":
        own.update(cls.__dict__)
    overridden = sorted(members & own)
    if overridden:
      raise ValueError(
        f"Subclasses of Estimator cannot override members of Estimator. {type(estimator)} does override {overridden}"
      )

  @property
  def model_dir(self):
    return self._model_dir

  @property
  def config(self):
    """A copy of the configuration."""
    return copy.deepcopy(self._config)

  @property
  def params(self):
    """A copy of the parameters."""
    return copy.deepcopy(self._params)

  @property
  def model_fn(self):
    """The model function, with the arguments features, labels, mode and config."""

    def public_model_fn(features, labels, mode, config):
      return self._call_model_fn(features, labels, mode, config)

    return public_model_fn

  def get_variable_value(self, name):
    """The value of a variable in the newest checkpoint. Raises ValueError if there is no checkpoint."""
    return tf.train.load_variable(self._existing_model_dir(), name)

  def get_variable_names(self):
    """The names of all that is in the newest checkpoint. Raises ValueError if there is none."""
    return [name for name, _ in tf.train.list_variables(self._existing_model_dir())]

  def _existing_model_dir(self):
    if not tf.train.latest_checkpoint(self._model_dir):
      raise ValueError(f"Could not find trained model in model_dir: {self._model_dir}.")
    return self._model_dir

  def latest_checkpoint(self):
    """The path of the newest checkpoint, or None."""
    return tf.train.latest_checkpoint(self.model_dir)

  def eval_dir(self, name=None):
    """The folder of the summaries of evaluations."""
    return os.path.join(self._model_dir, "eval" if not name else f"eval_{name}")

  # Training.

  def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
    """Trains on what `input_fn` gives, until it is over, for `steps` steps more, or to the step `max_steps`; returns itself.

    Listeners are called around each saving of a checkpoint. Raises ValueError for numbers of steps that make no sense.
    """
    if self.config.task_type in (TaskType.EVALUATOR, TaskType.PS):
      raise ValueError(
        "Train has been called wrong configuration. Please use tf.estimator.train_and_evaluate which calls proper API according "
        f"to given configuration. Current configuration: {self.config}."
      )
    step_hooks = self._convert_train_steps_to_hooks(steps, max_steps)
    if max_steps is not None and max_steps <= self._trained_steps():
      tf.logging.info("Skipping training since max_steps has already saved.")
      return self
    hooks = [*training.checked_hooks(hooks), *step_hooks]
    loss = self._train_model(input_fn, hooks, training.checked_listeners(saving_listeners))
    tf.logging.info("Loss for final step: %s.", loss)
    return self

  def _trained_steps(self):
    """The global step of the newest checkpoint, 0 without one."""
    try:
      checkpoint = tf.train.latest_checkpoint(self._model_dir)
      return int(tf.train.load_variable(checkpoint, tf.GraphKeys.GLOBAL_STEP)) if checkpoint else 0
    except (tf.errors.NotFoundError, ValueError):
      return 0

  def _convert_train_steps_to_hooks(self, steps, max_steps):
    return training.step_hooks(steps, max_steps)

  def _convert_eval_steps_to_hooks(self, steps):
    return evaluation.step_hooks(steps)

  def _train_model(self, input_fn, hooks, saving_listeners):
    with tf.Graph().as_default() as graph, graph.device(self._device_fn):
      tf.set_random_seed(self._config.tf_random_seed)
      global_step = self._create_and_assert_global_step(graph)
      if global_step is not None:
        # The tensor that hooks read, which is the step before the run's update.
        steps_lib._get_or_create_global_step_read(graph)
      features, labels, input_hooks = self._get_features_and_labels_from_input_fn(input_fn, ModeKeys.TRAIN)
      spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
      return self._train_with_estimator_spec(spec, input_hooks, hooks, tf.train.get_global_step(graph), saving_listeners)

  def _train_with_estimator_spec(self, estimator_spec, worker_hooks, hooks, global_step_tensor, saving_listeners):
    if self._warm_start_settings:
      tf.logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
      tf.train.warm_start(*self._warm_start_settings)
    return training.train(
      estimator_spec,
      self._config,
      self._model_dir,
      self._session_config,
      worker_hooks,
      hooks,
      global_step_tensor,
      saving_listeners,
    )

  # Evaluation.

  def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
    """Evaluates the model of the newest checkpoint, or another one, on what `input_fn` gives; returns a map of metrics.

    It ends with the input or after `steps` batches. The metrics, among them "loss" and "global_step", are also written as
    summaries into `eval_dir(name)`. Without a checkpoint the model is as it is initialized.
    """
    hooks = [*training.checked_hooks(hooks), *self._convert_eval_steps_to_hooks(steps)]
    checkpoint_path = self._checkpoint_or_none(checkpoint_path, "evaluate")
    with tf.Graph().as_default():
      scaffold, update_op, eval_dict, all_hooks = self._evaluate_build_graph(input_fn, hooks, checkpoint_path)
      return self._evaluate_run(checkpoint_path, scaffold, update_op, eval_dict, all_hooks, self.eval_dir(name))

  def _checkpoint_or_none(self, checkpoint_path, purpose):
    checkpoint_path = checkpoint_path or tf.train.latest_checkpoint(self._model_dir)
    if not checkpoint_path:
      tf.logging.info("Could not find trained model in model_dir: %s, running initialization to %s.", self._model_dir, purpose)
    return checkpoint_path

  def _evaluate_build_graph(self, input_fn, hooks=None, checkpoint_path=None):
    """The scaffold, the op that updates metrics, the metrics' values and all hooks of an evaluation."""
    tf.set_random_seed(self._config.tf_random_seed)
    self._create_and_assert_global_step(tf.get_default_graph())
    features, labels, input_hooks = self._get_features_and_labels_from_input_fn(input_fn, ModeKeys.EVAL)
    spec = self._call_model_fn_eval(features, labels, self.config)
    self._maybe_warm_start(checkpoint_path)
    update_op, eval_dict = evaluation.metric_updates(spec.eval_metric_ops)
    if tf.GraphKeys.GLOBAL_STEP in eval_dict:
      raise ValueError(
        "Metric with name `global_step` is not allowed, because Estimator already defines a default metric with the same name."
      )
    eval_dict[tf.GraphKeys.GLOBAL_STEP] = tf.train.get_global_step()
    all_hooks = [*input_hooks, *(hooks or []), *spec.evaluation_hooks]
    scaffold = spec.scaffold
    if scaffold.local_init_op is not None:
      # Metrics are local variables, which the model's own op doesn't know.
      evaluation.get_or_create_eval_step()
      scaffold = tf.train.Scaffold(
        local_init_op=tf.group(scaffold.local_init_op, tf.train.Scaffold.default_local_init_op()), copy_from_scaffold=scaffold
      )
    return scaffold, update_op, eval_dict, all_hooks

  def _call_model_fn_eval(self, features, labels, config):
    """The spec of an evaluation whose metrics have the mean loss. Raises ValueError if one is called so already."""
    spec = self._call_model_fn(features, labels, ModeKeys.EVAL, config)
    if _LOSS in spec.eval_metric_ops:
      raise ValueError(
        f'Metric with name "{_LOSS}" is not allowed, because Estimator already defines a default metric with the same name.'
      )
    return spec._replace(eval_metric_ops={**spec.eval_metric_ops, _LOSS: tf.metrics.mean(spec.loss)})

  def _evaluate_run(self, checkpoint_path, scaffold, update_op, eval_dict, all_hooks, output_dir):
    results = evaluation.evaluate_once(
      checkpoint_path=checkpoint_path,
      master=self._config.evaluation_master,
      scaffold=scaffold,
      eval_ops=update_op,
      final_ops=eval_dict,
      hooks=all_hooks,
      config=self._session_config,
    )
    step = results[tf.GraphKeys.GLOBAL_STEP]
    result_summaries.write(output_dir, results, step)
    if checkpoint_path:
      result_summaries.write_checkpoint_path(output_dir, checkpoint_path, step)
    return results

  # Prediction.

  def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
    """Yields the predictions for what `input_fn` gives, one example at a time or, if not `yield_single_examples`, in batches.

    `predict_keys` are those of the predictions that are wanted. Raises ValueError if examples can't be told apart.
    """
    hooks = training.checked_hooks(hooks)
    checkpoint_path = self._checkpoint_or_none(checkpoint_path, "predict")
    with tf.Graph().as_default() as graph:
      tf.set_random_seed(self._config.tf_random_seed)
      self._create_and_assert_global_step(graph)
      features, input_hooks = self._get_features_from_input_fn(input_fn, ModeKeys.PREDICT)
      spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
      self._maybe_warm_start(checkpoint_path)
      predictions = self._extract_keys(spec.predictions, predict_keys)
      creator = tf.train.ChiefSessionCreator(
        checkpoint_filename_with_path=checkpoint_path,
        master=self._config.master,
        scaffold=spec.scaffold,
        config=self._session_config,
      )
      all_hooks = [*input_hooks, *hooks, *spec.prediction_hooks]
      with tf.train.MonitoredSession(session_creator=creator, hooks=all_hooks) as session:
        while not session.should_stop():
          values = session.run(predictions)
          yield from prediction.examples_of(values) if yield_single_examples else [values]

  def _extract_keys(self, predictions, predict_keys):
    return prediction.wanted(predictions, predict_keys)

  def _extract_batch_length(self, preds_evaluated):
    return prediction.batch_length(preds_evaluated)

  def _maybe_warm_start(self, checkpoint_path):
    """Without a checkpoint of its own, a model is what it would begin its training with."""
    if not checkpoint_path and self._warm_start_settings:
      tf.logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
      tf.train.warm_start(*self._warm_start_settings)

  # Exporting.

  @deprecated(None, "This function has been renamed, use `export_saved_model` instead.")
  def export_savedmodel(
    self,
    export_dir_base,
    serving_input_receiver_fn,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    strip_default_attrs=False,
  ):
    """Exports the model for serving into a new folder below `export_dir_base`, which it returns as bytes.

    `assets_extra` maps paths below the export's folder of extra files to files that are copied there.
    """
    if not serving_input_receiver_fn:
      raise ValueError("An input_receiver_fn must be defined.")
    return self._export_all_saved_models(
      export_dir_base,
      {ModeKeys.PREDICT: serving_input_receiver_fn},
      assets_extra=assets_extra,
      as_text=as_text,
      checkpoint_path=checkpoint_path,
      strip_default_attrs=strip_default_attrs,
    )

  def export_saved_model(
    self,
    export_dir_base,
    serving_input_receiver_fn,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    experimental_mode=ModeKeys.PREDICT,
  ):
    """Exports the graph of one mode into a new folder below `export_dir_base`, which it returns as bytes."""
    if not serving_input_receiver_fn:
      raise ValueError("An input_receiver_fn must be defined.")
    return self._export_all_saved_models(
      export_dir_base,
      {experimental_mode: serving_input_receiver_fn},
      assets_extra=assets_extra,
      as_text=as_text,
      checkpoint_path=checkpoint_path,
      strip_default_attrs=True,
    )

  def experimental_export_all_saved_models(
    self, export_dir_base, input_receiver_fn_map, assets_extra=None, as_text=False, checkpoint_path=None
  ):
    """Exports the graphs of several modes, each with its function of inputs, into one SavedModel."""
    return self._export_all_saved_models(
      export_dir_base,
      input_receiver_fn_map,
      assets_extra=assets_extra,
      as_text=as_text,
      checkpoint_path=checkpoint_path,
      strip_default_attrs=True,
    )

  def _export_all_saved_models(
    self,
    export_dir_base,
    input_receiver_fn_map,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    strip_default_attrs=True,
  ):
    return saved_models.export(
      self, export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path, strip_default_attrs
    )

  # What users' functions give.

  def _get_features_from_input_fn(self, input_fn, mode):
    """The features and hooks of an input for predictions."""
    result = self._call_input_fn(input_fn, mode)
    features, _, hooks = input_results.parse(result)
    self._validate_features_in_predict_input(features)
    return features, hooks

  def _validate_features_in_predict_input(self, features):
    if not (input_results.is_of_iterator(features) or tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)):
      tf.logging.warning(
        "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields forever. This is "
        "probably a mistake."
      )

  def _get_features_and_labels_from_input_fn(self, input_fn, mode):
    return input_results.parse(self._call_input_fn(input_fn, mode))

  def _call_input_fn(self, input_fn, mode, input_context=None):
    del input_context
    return model_calls.call_input_fn(input_fn, mode, self.params, self.config)

  def _call_model_fn(self, features, labels, mode, config):
    return model_calls.call_model_fn(self._model_fn, features, labels, mode, self.params, config)

  def _create_global_step(self, graph):
    return tf.train.create_global_step(graph)

  def _create_and_assert_global_step(self, graph):
    """Makes the global step, which has to be the graph's own and an integer."""
    step = self._create_global_step(graph)
    if step is not None:
      assert step is tf.train.get_global_step(), "the global step is not the one of the graph"
      assert step.dtype.is_integer, "the global step is not an integer"
    return step


def _configuration(config, model_dir):
  """The configuration with a folder and a configuration of sessions. Raises ValueError if it is none or names two folders."""
  if config is None:
    config = run_config.RunConfig()
    tf.logging.info("Using default config.")
  if not isinstance(config, run_config.RunConfig):
    raise ValueError(  # noqa: TRY004 (TensorFlow's class)
      f"config must be an instance of `RunConfig`, but provided {config}."
    )
  if model_dir is not None:
    model_dir = os.fspath(model_dir)
  if config.model_dir is not None and model_dir is not None and config.model_dir != model_dir:
    raise ValueError(
      "`model_dir` are set both in constructor and `RunConfig`, but with different values. "
      f"In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
    )
  if model_dir:
    config = _replaced(config, model_dir=model_dir)
  elif config.model_dir is None:
    model_dir = tempfile.mkdtemp()
    tf.logging.warning("Using temporary folder as model directory: %s", model_dir)
    config = _replaced(config, model_dir=model_dir)
  if config.session_config is None:
    config = _replaced(config, session_config=run_config.default_session_config())
  return config


def _replaced(config, **kwargs):
  """A copy with other properties, also of classes that have none of these to replace."""
  return run_config.RunConfig._replace(copy.deepcopy(config), allowed_properties_list=list(kwargs), **kwargs)


def _device_fn(config):
  """The function of devices by which replicas keep variables on parameter servers, or None without any."""
  if config.num_ps_replicas <= 0:
    return None
  return tf.train.replica_device_setter(
    ps_tasks=config.num_ps_replicas,
    worker_device=f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker",
    merge_devices=True,
    cluster=config.cluster_spec,
    ps_ops=list(STANDARD_PS_OPS),
  )
