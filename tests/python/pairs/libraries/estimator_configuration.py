"""tf.estimator.RunConfig: what TF_CONFIG says, all properties, replacing them, and estimators' own configurations."""

import contextlib
import json
import os
import re

PROPERTIES = [
  "cluster_spec",
  "device_fn",
  "eval_distribute",
  "evaluation_master",
  "experimental_max_worker_delay_secs",
  "global_id_in_cluster",
  "is_chief",
  "keep_checkpoint_every_n_hours",
  "keep_checkpoint_max",
  "log_step_count_steps",
  "master",
  "model_dir",
  "num_ps_replicas",
  "num_worker_replicas",
  "protocol",
  "save_checkpoints_secs",
  "save_checkpoints_steps",
  "save_summary_steps",
  "service",
  "session_config",
  "session_creation_timeout_secs",
  "task_id",
  "task_type",
  "tf_random_seed",
  "train_distribute",
]
CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1", "e:1"]}
MASTER = {"master": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}


@contextlib.contextmanager
def _environment(value):
  os.environ["TF_CONFIG"] = value if isinstance(value, str) else json.dumps(value)
  try:
    yield
  finally:
    del os.environ["TF_CONFIG"]


def _error(call):
  try:
    return call()
  except Exception as error:
    return error


def _without_addresses(made):
  return type(made)(re.sub(r"<function .*>", "F", str(made))) if isinstance(made, Exception) else made


def _shown(config):
  return [(name, str(getattr(config, name))) for name in PROPERTIES]


def _task(kind, index, cluster=None, **more):
  return {"cluster": CLUSTER if cluster is None else cluster, "task": {"type": kind, "index": index}, **more}


def _in(tf, environment, **kwargs):
  def make():
    with _environment(environment):
      return _shown(tf.estimator.RunConfig(**kwargs))

  return _error(make)


def program_tasks_of_clusters(tf):
  tasks = [("chief", 0), ("worker", 0), ("worker", "1"), ("ps", 1), ("evaluator", 0), ("evaluator", 1)]
  return [_in(tf, _task(*task)) for task in tasks] + [_in(tf, _task(job, 0, MASTER)) for job in MASTER]


def program_other_settings(tf):
  sparse = {"chief": ["a:1"], "worker": {"1": "b:1", "3": "c:1"}, "other": ["d:1"]}
  return [
    _in(tf, _task("chief", 0, {"chief": ["a:1"]})),
    _in(tf, _task("evaluator", 0, {"chief": ["a:1"], "evaluator": ["b:1"]})),
    _in(tf, _task("worker", 3, sparse)),
    _in(tf, _task("other", 0, sparse)),
    _in(tf, _task("worker", 0, session_master="first", eval_session_master="second", service={"a": 1})),
    _in(tf, _task("evaluator", 0, session_master="first", eval_session_master="second")),
    _in(tf, {"session_master": "grpc://x:1", "eval_session_master": "grpc://y:1"}),
    _in(tf, {"task": {"type": "worker"}}),
    _in(tf, {"model_dir": "/somewhere"}),
    _in(tf, {"model_dir": "/somewhere"}, model_dir="/somewhere"),
  ]


def program_wrong_environments(tf):
  return [
    _in(tf, environment)
    for environment in [
      _task("other", 0),
      _task("worker", 2),
      _task("worker", -1),
      _task("worker", "x"),
      {"cluster": CLUSTER},
      {"cluster": CLUSTER, "task": {"type": "worker"}},
      {"cluster": CLUSTER, "task": {"index": 1}},
      _task("worker", 0, {"worker": ["a:1"]}),
      _task("chief", 0, {"chief": ["a:1", "b:1"]}),
      {"task": {"type": "worker", "index": 1}},
      {"task": {"type": "ps", "index": 0}},
      _task("worker", 0, service=3),
      {"model_dir": ""},
      "{wrong",
      _task("evaluator", 0, MASTER),
      _task("master", 0, {"master": ["a:1"], "chief": ["b:1"]}),
      _task("master", 0, {"master": ["a:1", "b:1"]}),
      _task("master", 1, MASTER),
    ]
  ] + [_in(tf, {"model_dir": "/one"}, model_dir="/two")]


def program_arguments(tf):
  config = tf.estimator.RunConfig(
    model_dir="/somewhere",
    tf_random_seed=3,
    save_summary_steps=7,
    save_checkpoints_secs=11,
    session_config=tf.ConfigProto(log_device_placement=True),
    keep_checkpoint_max=2,
    keep_checkpoint_every_n_hours=3,
    log_step_count_steps=9,
    train_distribute=None,
    device_fn=None,
    protocol="grpc",
    eval_distribute=None,
    experimental_distribute=None,
    experimental_max_worker_delay_secs=12,
    session_creation_timeout_secs=100,
  )
  device_fn = lambda op: "/cpu:0"  # noqa: E731
  return [
    _shown(config),
    _shown(tf.estimator.RunConfig(save_checkpoints_steps=5)),
    _shown(tf.estimator.RunConfig(save_checkpoints_secs=None)),
    tf.estimator.RunConfig(device_fn=device_fn).device_fn is device_fn,
  ]


def program_wrong_arguments(tf):
  wrong = [
    {"save_checkpoints_steps": 5, "save_checkpoints_secs": 5},
    {"save_checkpoints_steps": -1},
    {"save_checkpoints_secs": -1},
    {"save_summary_steps": -1},
    {"session_config": 3},
    {"keep_checkpoint_max": -1},
    {"keep_checkpoint_every_n_hours": 0},
    {"log_step_count_steps": 0},
    {"tf_random_seed": 4.0},
    {"device_fn": 3},
    {"device_fn": lambda other: ""},
    {"protocol": "other"},
    {"experimental_max_worker_delay_secs": "a"},
    {"session_creation_timeout_secs": 0},
    {"model_dir": ""},
  ]
  return [_error(lambda kwargs=kwargs: tf.estimator.RunConfig(**kwargs)) for kwargs in wrong]


def program_replace(tf):
  config = tf.estimator.RunConfig(save_checkpoints_steps=3, model_dir="/one")
  changes = [
    {"model_dir": "/two"},
    {"save_checkpoints_secs": 4},
    {"save_checkpoints_steps": 9},
    {"save_checkpoints_steps": None},
    {"save_checkpoints_secs": 4, "save_checkpoints_steps": 3},
    {"session_creation_timeout_secs": 4},
    {"keep_checkpoint_max": -3},
    {"protocol": "grpc", "tf_random_seed": 5},
  ]
  results = [_error(lambda change=change: _shown(config.replace(**change))) for change in changes]
  return [*results, type(_error(lambda: config.replace(master="x"))).__name__, config.model_dir, config.save_checkpoints_steps]


def _model_fn(features, labels, mode):
  raise AssertionError("nobody calls it")


def program_configurations_of_estimators(tf):
  shown = []
  for task in [("chief", 0), ("worker", 1), ("ps", 0), ("evaluator", 0)]:
    with _environment(_task(*task)):
      estimator = tf.estimator.Estimator(_model_fn, model_dir="/somewhere")
    config = estimator.config
    shown.append(
      [_shown(config), estimator.model_dir, estimator.eval_dir(), estimator.eval_dir("other"), config is estimator.config]
    )
  return shown


def program_devices_of_replicas(tf):
  shown = []
  for task in [("chief", 0), ("worker", 1)]:
    with _environment(_task(*task)):
      estimator = tf.estimator.Estimator(_model_fn, model_dir="/somewhere")
    with tf.Graph().as_default() as graph, tf.device(estimator._device_fn):
      for name in "abc":
        tf.get_variable(name, [2]) + 1.0
    shown.append([(op.name, op.device) for op in graph.get_operations()])
  with _environment({}):
    shown.append(tf.estimator.Estimator(_model_fn, model_dir="/somewhere")._device_fn)
  return shown


def program_wrong_estimators(tf):
  make = tf.estimator.Estimator

  class Overriding(make):
    def train(self):
      raise AssertionError("nobody calls it")

  class Allowed(make):
    def latest_checkpoint(self):
      return "mine"

  return [
    _without_addresses(_error(call))
    for call in [
      lambda: make(None),
      lambda: make(lambda labels: 0),
      lambda: make(_model_fn, params={"a": 1}),
      lambda: make(lambda features, other: 0),
      lambda: make(_model_fn, config=3),
      lambda: make(_model_fn, config={"a": 1}),
      lambda: make(_model_fn, model_dir="/one", config=tf.estimator.RunConfig(model_dir="/two")),
      lambda: make(_model_fn, warm_start_from=3),
      lambda: Overriding(_model_fn),
      lambda: Allowed(_model_fn, model_dir="/one").latest_checkpoint(),
      lambda: make(_model_fn, model_dir="/one", warm_start_from="/nowhere")._warm_start_settings,
      lambda: tf.estimator.WarmStartSettings(""),
      lambda: tf.estimator.WarmStartSettings("/a", ".*b", {"c": 1}, {"d": "e"}),
    ]
  ]


def program_params_are_copies(tf):
  params = {"list": [1]}
  estimator = tf.estimator.Estimator(lambda features, params: 0, model_dir="/one", params=params)
  params["list"].append(2)
  estimator.params["list"].append(3)
  return estimator.params
