"""TPUEstimator: an estimator whose functions are told the size of batches, on CPUs and GPUs."""

import inspect

import millrace as tf
from millrace.contrib.tpu.configuration import RunConfig
from millrace.contrib.tpu.spec import TPUEstimatorSpec
from millrace.estimator import arguments, estimator, model_calls
from millrace.estimator.mode_keys import ModeKeys
from millrace.estimator.run_config import RunConfig as PlainRunConfig
from millrace.framework import protos
from millrace.train.session.saving_hooks import StepCounterHook

_RESERVED = ["batch_size", "context"]


class _ExamplesPerSecondHook(StepCounterHook):
  """Writes the steps and the examples a second, "global_step/sec" and "examples/sec"."""

  def __init__(self, batch_size, **kwargs):
    super().__init__(**kwargs)
    self._batch_size = batch_size

  def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
    steps = elapsed_steps / elapsed_time
    rates = {"global_step/sec": steps, "examples/sec": steps * self._batch_size}
    for tag, rate in rates.items():
      if self._summary_writer is not None:
        value = protos.Summary.Value(tag=tag, simple_value=rate)
        self._summary_writer.add_summary(protos.Summary(value=[value]), global_step)
      tf.logging.info("%s: %g", tag, rate)


class TPUEstimator(estimator.Estimator):
  """An Estimator for programs that could also run on TPUs, of which there are none here: `use_tpu` has to be False.

  `config` is a tf.contrib.tpu.RunConfig. Functions of inputs and of the model have the argument `params`, where "batch_size" is the
  one of `train_batch_size`, `eval_batch_size` and `predict_batch_size` that the mode has. A model function returns a
  TPUEstimatorSpec or an EstimatorSpec, and finds False in `params["use_tpu"]`. `batch_axis`, `eval_on_tpu`, `export_to_tpu` and
  `embedding_config_spec` concern TPUs only. Raises ValueError for other configurations and for parameters of reserved names.
  """

  def __init__(
    self,
    model_fn=None,
    model_dir=None,
    config=None,
    params=None,
    use_tpu=True,
    train_batch_size=None,
    eval_batch_size=None,
    predict_batch_size=None,
    batch_axis=None,
    eval_on_tpu=True,
    export_to_tpu=True,
    export_to_cpu=True,
    warm_start_from=None,
    embedding_config_spec=None,
    export_saved_model_api_version=1,
  ):
    del batch_axis, eval_on_tpu, export_to_tpu, embedding_config_spec, export_saved_model_api_version
    if not isinstance(config, RunConfig):
      raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")  # noqa: TRY004 (TensorFlow's class)
    if params is not None and any(name in params for name in _RESERVED):
      raise ValueError(f"{_RESERVED} are reserved keys but existed in params {params}.")
    if use_tpu:
      if train_batch_size is None:
        raise ValueError("`train_batch_size` cannot be `None`")
      raise RuntimeError("Cannot find any TPU cores in the system. There are no TPUs with Millrace: set use_tpu to False.")
    self._batch_sizes = {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size, ModeKeys.PREDICT: predict_batch_size}
    self._export_to_cpu = export_to_cpu
    self._exports = False
    self._log_every_n_steps = config.log_step_count_steps
    config = PlainRunConfig._replace(config.replace(), ["log_step_count_steps"], log_step_count_steps=None)
    super().__init__(model_fn, model_dir, config, params, warm_start_from)

  def _params_of(self, mode):
    """A copy of the parameters with the size of batches, which exports don't know."""
    params = self.params
    size = self._batch_sizes[mode]
    if size is not None and not self._exports:
      params["batch_size"] = size
    return params

  def _call_input_fn(self, input_fn, mode, input_context=None):
    del input_context
    if "params" not in arguments.names_of(input_fn):
      raise ValueError(
        f"input_fn ({input_fn}) does not include params argument, required by TPUEstimator to pass batch size as "
        'params["batch_size"]'
      )
    return model_calls.call_input_fn(input_fn, mode, self._params_of(mode), self.config)

  def _call_model_fn(self, features, labels, mode, config):
    tf.logging.info("Running %s on CPU/GPU", mode)
    params = self._params_of(mode)
    params["use_tpu"] = False
    spec = model_calls.call_model_fn(self._as_plain(mode), features, labels, mode, params, config)
    if mode != ModeKeys.TRAIN or self._exports or self._log_every_n_steps is None:
      return spec
    return spec._replace(training_hooks=(*spec.training_hooks, self._speed_hook()))

  def _as_plain(self, mode):
    """The model function, which returns an EstimatorSpec. Raises ValueError if it can't be told the size of batches."""
    names = arguments.names_of(self._model_fn)
    if self._batch_sizes[mode] is not None and "params" not in names:
      raise ValueError(
        f"model_fn ({self._model_fn}) does not include params argument, required by TPUEstimator to pass batch size as "
        "params['batch_size']"
      )
    return _Plain(self._model_fn)

  def _speed_hook(self):
    iterations = self.config.tpu_config.iterations_per_loop
    every = -(-self._log_every_n_steps // iterations) if isinstance(iterations, int) else self._log_every_n_steps
    return _ExamplesPerSecondHook(self._batch_sizes[ModeKeys.TRAIN] or 0, every_n_steps=every, output_dir=self.model_dir)

  def _export_all_saved_models(self, *args, **kwargs):
    if not self._export_to_cpu:
      raise ValueError("export_to_cpu cannot be False: there are no TPUs with Millrace, for which else to export.")
    self._exports = True
    try:
      return super()._export_all_saved_models(*args, **kwargs)
    finally:
      self._exports = False


class _Plain:
  """A model function which returns an EstimatorSpec where its original returns a TPUEstimatorSpec."""

  def __init__(self, model_fn):
    self._model_fn = model_fn
    self.__signature__ = inspect.signature(model_fn)

  def __call__(self, *args, **kwargs):
    spec = self._model_fn(*args, **kwargs)
    return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec
