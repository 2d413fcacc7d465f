"""tf.estimator.tpu on machines without TPUs: estimators of programs that could also run on them."""

import glob
import os
import tempfile

import numpy as np


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _config(tf, **kwargs):
  return tf.estimator.tpu.RunConfig(model_dir=tempfile.mkdtemp(), tf_random_seed=1, **kwargs)


CALLS = []


def _model_fn(tf):
  def model_fn(features, labels, mode, params):
    CALLS.append([mode, sorted(params.items())])
    spec = tf.estimator.tpu.TPUEstimatorSpec
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    out = tf.matmul(features["x"], w)[:, 0]
    if mode == tf.estimator.ModeKeys.PREDICT:
      return spec(mode, predictions={"o": out}, export_outputs={"serving_default": tf.estimator.export.PredictOutput(out)})
    loss = tf.reduce_mean(tf.square(out - labels))
    if mode == tf.estimator.ModeKeys.EVAL:

      def metric_fn(a, b):
        return {"m": tf.metrics.mean(a), "n": tf.metrics.mean(b)}

      tensors = {"b": labels, "a": out} if params.get("by_name") else [out, labels]
      return spec(mode, loss=loss, eval_metrics=(metric_fn, tensors), host_call=(_host_call(tf, "eval"), [out]))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return spec(
      mode,
      loss=loss,
      train_op=train_op,
      host_call=(_host_call(tf, "train"), {"value": out}),
      scaffold_fn=lambda: tf.train.Scaffold(init_fn=lambda scaffold, session: CALLS.append("init")),
      training_hooks=[_Hook.of(tf)],
    )

  return model_fn


def _host_call(tf, name):
  def host_call(value):
    return tf.py_func(lambda v: CALLS.append([name, v.shape]) or v, [value], tf.float32)

  return host_call


class _Hook:
  @staticmethod
  def of(tf):
    class Hook(tf.train.SessionRunHook):
      def begin(self):
        CALLS.append("begin")

    return Hook()


def _input_fn(tf, repeats=2):
  def input_fn(params):
    CALLS.append(sorted(params.items()))
    data = ({"x": np.ones([8, 2], np.float32)}, np.ones([8], np.float32))
    return tf.data.Dataset.from_tensor_slices(data).repeat(repeats).batch(params["batch_size"])

  return input_fn


def program_all_of_an_estimator(tf):
  del CALLS[:]
  tpu = tf.estimator.tpu
  estimator = tpu.TPUEstimator(
    _model_fn(tf),
    config=_config(tf),
    params={"k": 1},
    use_tpu=False,
    train_batch_size=4,
    eval_batch_size=2,
    predict_batch_size=3,
    batch_axis=None,
    eval_on_tpu=False,
  )
  estimator.train(_input_fn(tf), steps=2)
  results = [estimator.evaluate(_input_fn(tf), steps=2), estimator.evaluate(_input_fn(tf))]
  predictions = list(estimator.predict(lambda params: _input_fn(tf)(params).map(lambda x, y: x)))
  return estimator.params, type(estimator.config).__name__, results, predictions, CALLS


def program_metrics_by_name(tf):
  estimator = tf.estimator.tpu.TPUEstimator(
    model_fn=_model_fn(tf), config=_config(tf), params={"by_name": True}, use_tpu=False, train_batch_size=4, eval_batch_size=4
  )
  return estimator.evaluate(_input_fn(tf))


def program_export(tf):
  del CALLS[:]
  estimator = tf.estimator.tpu.TPUEstimator(
    _model_fn(tf),
    config=_config(tf),
    use_tpu=False,
    train_batch_size=4,
    predict_batch_size=1,
    export_to_tpu=False,
    export_to_cpu=True,
  )
  estimator.train(_input_fn(tf), max_steps=1)

  def serving():
    x = tf.placeholder(tf.float32, [None, 2])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})

  path = tf.compat.as_str(estimator.export_saved_model(tempfile.mkdtemp(), serving))
  with tf.Session(graph=tf.Graph()) as session:
    signature = tf.saved_model.loader.load(session, ["serve"], path).signature_def["serving_default"]
    value = session.run(signature.outputs["output"].name, {signature.inputs["x"].name: [[1.0, 2.0]]})
  return value, CALLS


def program_summaries_of_speed(tf):
  found = []
  for kwargs in (
    {},
    {"log_step_count_steps": 20},
    {"log_step_count_steps": None},
    {"tpu_config": tf.estimator.tpu.TPUConfig(70)},
  ):
    config = _config(tf, **kwargs)
    estimator = tf.estimator.tpu.TPUEstimator(_model_fn(tf), config=config, use_tpu=False, train_batch_size=4)
    estimator.train(_input_fn(tf, None), steps=60)
    files = glob.glob(os.path.join(config.model_dir, "events*"))
    tags = [
      (event.step, value.tag) for file in files for event in tf.train.summary_iterator(file) for value in event.summary.value
    ]
    found.append((sorted(tags), estimator.config.log_step_count_steps))
  return found


def program_what_an_estimator_refuses(tf):
  tpu = tf.estimator.tpu

  def made(model_fn=None, **kwargs):
    kwargs = {"config": _config(tf), "use_tpu": False, "train_batch_size": 4, **kwargs}
    return type(tpu.TPUEstimator(model_fn or _model_fn(tf), **kwargs)).__name__

  return [
    _error(lambda: made(config=None)),
    _error(lambda: made(config=tf.estimator.RunConfig())),
    _error(lambda: made(params={"batch_size": 3})),
    _error(lambda: made(params={"context": 3})),
    _error(lambda: made(params={"use_tpu": 3})),
    _error(lambda: made(train_batch_size=None)),
    _error(lambda: made(use_tpu=True, train_batch_size=None)),
    _error(lambda: made(model_fn=lambda features, labels: None)),
  ]


def program_functions_without_params(tf):
  make = tf.estimator.tpu.TPUEstimator
  estimator = make(_model_fn(tf), config=_config(tf), use_tpu=False, train_batch_size=4)
  without = make(lambda features, labels: None, config=_config(tf), use_tpu=False, train_batch_size=4)
  other = make(
    lambda features, labels, mode, params: tf.estimator.EstimatorSpec(
      mode, loss=tf.constant(1.0), train_op=tf.assign_add(tf.train.get_global_step(), 1)
    ),
    config=_config(tf),
    use_tpu=False,
    train_batch_size=4,
  )
  return [
    str(_error(lambda: estimator.train(lambda: None, steps=1))).split(")")[-1],
    str(_error(lambda: without.train(_input_fn(tf), steps=1))).split(")")[-1],
    type(_error(lambda: other.train(_input_fn(tf), steps=1))).__name__,
    _error(lambda: estimator.train(_input_fn(tf), steps=0)),
  ]


def _spec_makers(tf):
  spec, constant = tf.estimator.tpu.TPUEstimatorSpec, tf.constant
  hook = tf.train.SessionRunHook
  return {
    "train": lambda: spec("train", loss=constant(1.0), train_op=tf.no_op()),
    "no_train_op": lambda: spec("train"),
    "no_loss": lambda: spec("eval"),
    "float": lambda: spec("eval", loss=1.0),
    "metrics": lambda: spec("eval", loss=constant(1.0), eval_metrics=3),
    "not_callable": lambda: spec("eval", loss=constant(1.0), eval_metrics=(3, [])),
    "three": lambda: spec("eval", loss=constant(1.0), eval_metrics=(3, 4, 5)),
    "tensors": lambda: spec("eval", loss=constant(1.0), eval_metrics=(lambda: 0, 3)),
    "arguments": lambda: spec("eval", loss=constant(1.0), eval_metrics=(lambda a: 0, [constant(1.0), constant(2.0)])),
    "any": lambda: spec("eval", loss=constant(1.0), eval_metrics=(lambda *a: {"m": tf.metrics.mean(a[1])}, [constant(1.0)] * 2)),
    "host": lambda: spec("eval", loss=constant(1.0), host_call=(3, [])),
    "hosts": lambda: spec("eval", loss=constant(1.0), host_call=(lambda a: a, [constant(1.0)])),
    "hook": lambda: spec("eval", loss=constant(1.0), training_hooks=[3]),
    "hooks": lambda: spec(
      "eval", loss=constant(1.0), training_hooks=[hook()], evaluation_hooks=[hook()] * 2, prediction_hooks=[hook()] * 3
    ),
    "infer": lambda: spec("infer", predictions={"a": constant(1.0)}),
    "no_predictions": lambda: spec("infer", predictions=3),
    "outputs": lambda: spec("infer", predictions={"a": constant(1.0)}, export_outputs=3),
    "scaffold": lambda: spec(
      "eval", loss=constant(1.0), scaffold_fn=lambda: tf.train.Scaffold(local_init_op=tf.no_op(name="own"))
    ),
  }


def program_specs(tf):
  found = {}
  for name in _spec_makers(tf):
    with tf.Graph().as_default():
      made = _error(lambda name=name: _spec_makers(tf)[name]())
      if isinstance(made, Exception):
        found[name] = made
        continue
      plain = _error(made.as_estimator_spec)
      if not isinstance(plain, Exception):
        hooks = (plain.training_hooks, plain.evaluation_hooks, plain.prediction_hooks)
        plain = [
          plain.mode,
          sorted(plain.eval_metric_ops),
          [len(x) for x in hooks],
          getattr(plain.scaffold.local_init_op, "name", ""),
        ]
      found[name] = (list(made._fields), plain)
  return found


def program_configurations(tf):
  tpu = tf.estimator.tpu
  found = {name: getattr(tpu.InputPipelineConfig, name) for name in dir(tpu.InputPipelineConfig) if not name.startswith("_")}
  options = {
    "num_shards": [0, 2],
    "iterations_per_loop": [0, 7, "10s", "x"],
    "num_cores_per_replica": [3, 2],
    "input_partition_dims": [[[1]]],
    "initial_infeed_sleep_secs": [-1, 3],
    "per_host_input_for_training": [False, True, 3],
    "tpu_job_name": ["", "tpu"],
    "eval_training_input_configuration": [1, 5],
    "experimental_host_call_every_n_steps": [0, 2],
  }
  for name, values in options.items():
    for value in values:
      found[f"{name}={value}"] = _error(lambda name=name, value=value: getattr(tpu.TPUConfig(**{name: value}), name))
  dims = {"num_cores_per_replica": 2, "per_host_input_for_training": 3}
  for value in ([[1, 2], None], [[1, 2], None, None], [[1, 3]], [[1, -2]], [{"a": [2, 1]}], [[2, 2]]):
    found[f"dims {value}"] = _error(lambda value=value: tpu.TPUConfig(input_partition_dims=value, **dims).input_partition_dims)
  fields = 9  # those that 1.15 has
  found["defaults"] = list(zip(tpu.TPUConfig._fields, tpu.TPUConfig()))[:fields]
  return found


class _Cluster:
  def __init__(self, spec):
    self._spec = spec

  def master(self):
    return "grpc://x"

  get_master = master

  def cluster_spec(self):
    return self._spec

  def get_job_name(self):
    return "worker"


def program_run_configurations(tf):
  tpu = tf.estimator.tpu
  cluster = _Cluster(tf.train.ClusterSpec({"worker": ["a:1"]}))

  def fields(config):
    return (
      config.master,
      config.evaluation_master,
      config.model_dir,
      config.cluster is cluster,
      config.tpu_config.iterations_per_loop,
    )

  changed = tpu.RunConfig(model_dir="/x").replace(tpu_config=tpu.TPUConfig(5), save_checkpoints_steps=3)
  return [
    fields(tpu.RunConfig(model_dir="/x")),
    fields(tpu.RunConfig(master="grpc://a", evaluation_master="b")),
    fields(tpu.RunConfig(master="grpc://a")),
    fields(tpu.RunConfig(cluster=cluster)),
    tpu.RunConfig(cluster=cluster).cluster_spec.as_dict(),
    _error(lambda: tpu.RunConfig(cluster=cluster, master="b")),
    fields(tpu.RunConfig(cluster=cluster, evaluation_master="b")),
    _error(lambda: tpu.RunConfig(model_dir="/x").replace(unknown=3)),
    fields(changed),
    (changed.save_checkpoints_steps, changed.save_checkpoints_secs, isinstance(changed, tf.estimator.RunConfig)),
  ]


def program_one_shard(tf):
  """What a program calls that could also train on several cores."""
  v = tf.get_variable("v", initializer=[1.0, 2.0])
  outer = tf.tpu.CrossShardOptimizer(tf.train.MomentumOptimizer(0.5, 0.9))
  ((grad, _),) = outer.compute_gradients(tf.reduce_sum(v * v))
  found = [outer.get_name(), outer.get_slot_names(), _error(lambda: tf.tpu.CrossShardOptimizer(outer, reduction="none"))]
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [*found, session.run(grad)]
