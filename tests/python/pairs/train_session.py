"""Monitored sessions, hooks, scaffolds, supervisors: what they make, call and leave behind."""

import os
import shutil
import threading

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _fresh(name):
  shutil.rmtree(name, ignore_errors=True)
  return name


def _training(tf):
  """A variable, the step, and an op that adds to both."""
  v = tf.get_variable("v", initializer=[0.0, 1.0])
  step = tf.train.get_or_create_global_step()
  train = tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.ones([2]), v)], global_step=step)
  return v, step, train


def _checkpoints(folder):
  return sorted(name for name in os.listdir(folder) if not name.startswith("events"))


def _recorder(tf, calls, fetches=None, feeds=None):
  """A hook that writes down how it is called."""

  class Recorder(tf.train.SessionRunHook):
    def begin(self):
      calls.append("begin")

    def after_create_session(self, session, coord):
      calls.append(["after_create_session", hasattr(session, "run"), coord.should_stop()])

    def before_run(self, run_context):
      calls.append(["before_run", len(run_context.original_args), run_context.stop_requested])
      return tf.train.SessionRunArgs(fetches, feed_dict=feeds) if fetches is not None else None

    def after_run(self, run_context, run_values):
      calls.append(["after_run", run_values.results, len(run_values)])

    def end(self, session):
      calls.append("end")

  return Recorder()


def program_monitored_session(tf):
  _, step, train = _training(tf)
  calls = []
  with tf.train.MonitoredSession(hooks=[_recorder(tf, calls, step), tf.train.StopAtStepHook(num_steps=3)]) as session:
    graph = [session.graph is tf.get_default_graph(), session.graph.finalized]
    while not session.should_stop():
      session.run(train)
  return [graph, tf.get_default_graph().finalized, calls]


def program_singular_session(tf):
  v, step, train = _training(tf)
  with tf.train.SingularMonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=2)], stop_grace_period_secs=5) as session:
    raw = session.raw_session()
    while not session.should_stop():
      session.run(train)
    ended = _say(lambda: session.run(train))
    value = raw.run([v, step])
  return [ended, value]


def program_step_function(tf):
  v, _, train = _training(tf)
  calls = []

  def step_fn(step_context):
    step_context.session.run(v)
    step_context.run_with_hooks(train)
    calls.append(len(calls))
    if len(calls) == 3:
      step_context.request_stop()
    return "result"

  hook_calls = []
  with tf.train.MonitoredSession(hooks=[_recorder(tf, hook_calls)]) as session:
    wrong = _say(lambda: session.run_step_fn(lambda x: 1))
    while not session.should_stop():
      calls.append(session.run_step_fn(step_fn))
  return [wrong, calls, len(hook_calls)]


def program_training_session(tf):
  folder = _fresh("training_session")
  v, _step, train = _training(tf)
  tf.summary.scalar("sum", tf.reduce_sum(v))
  found = []
  hooks = [tf.train.StopAtStepHook(last_step=4)]
  with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=1, log_step_count_steps=2
  ) as session:
    while not session.should_stop():
      found.append(session.run([v, train])[0])
  found.append(_checkpoints(folder))
  return found


def program_training_session_restored(tf):
  folder = _fresh("restored_session")
  v, step, train = _training(tf)

  def go(last_step, **options):
    with tf.train.MonitoredTrainingSession(
      checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(last_step=last_step)], **options
    ) as session:
      while not session.should_stop():
        session.run(train)
    with tf.train.SingularMonitoredSession(checkpoint_dir=folder) as session:
      return session.run([v, step])

  return [go(2), go(5, save_checkpoint_secs=None, save_summaries_steps=None, save_checkpoint_steps=1), _checkpoints(folder)]


def program_training_session_options(tf):
  """Chief-only hooks come first; without a folder nothing is written."""
  _v, _, train = _training(tf)
  calls = []
  with tf.train.MonitoredTrainingSession(
    master="",
    is_chief=True,
    scaffold=tf.train.Scaffold(init_fn=lambda scaffold, session: calls.append("init_fn")),
    hooks=[_recorder(tf, calls)],
    chief_only_hooks=[tf.train.StopAtStepHook(num_steps=1)],
    config=tf.ConfigProto(allow_soft_placement=True),
    stop_grace_period_secs=3,
    max_wait_secs=10,
  ) as session:
    session.run(train)
  return calls


def program_end_of_input(tf):
  """OutOfRangeError ends a monitored session without an error."""
  counter = tf.get_variable("counter", initializer=0)
  count = counter.count_up_to(3)
  found = []
  with tf.train.MonitoredSession() as session:
    while not session.should_stop():
      found.append(session.run(count))
  return found


def program_errors_pass(tf):
  _, _, train = _training(tf)
  bad = tf.gather(tf.constant([1, 2]), tf.placeholder_with_default(7, []))

  def run():
    with tf.train.MonitoredSession() as session:
      session.run(train)
      session.run(bad)

  def user():
    with tf.train.MonitoredSession() as session:
      session.run(train)
      raise ValueError("of the program")

  return [type(_say(run)).__name__, _say(user)]


def program_recovery(tf):
  """A run that was aborted is done again in a new session."""
  folder = _fresh("recovery")
  v, step, train = _training(tf)
  calls = []

  class Aborts(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
      calls.append("created")

    def before_run(self, run_context):
      calls.append("run")
      if calls.count("run") == 3:
        raise tf.errors.AbortedError(None, None, "a task went away")

  with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder, hooks=[Aborts(), tf.train.StopAtStepHook(last_step=4)], save_checkpoint_steps=1
  ) as session:
    while not session.should_stop():
      session.run(train)
    value = session.graph.get_tensor_by_name("v:0").name
  with tf.train.SingularMonitoredSession(checkpoint_dir=folder) as session:
    return [calls, value, session.run([v, step])]


def program_feeds_of_hooks(tf):
  p = tf.placeholder(tf.float32, [], name="p")
  q = tf.placeholder(tf.float32, [], name="q")
  total = p + q

  def run(hooks, feeds=None):
    with tf.train.SingularMonitoredSession(hooks=hooks) as session:
      return session.run(total, feeds)

  def feed(tensor, value):
    return tf.train.FeedFnHook(lambda: {tensor: value})

  return [
    run([feed(p, 1.0), feed(q, 2.0)]),
    run([feed(p, 1.0)], {q: 5.0}),
    type(_say(lambda: run([feed(p, 1.0), feed(p, 2.0)]))).__name__,
    type(_say(lambda: run([feed(p, 1.0)], {p: 2.0, q: 1.0}))).__name__,
  ]


def program_logging_hook(tf):
  v, step, train = _training(tf)
  lines = []

  def formatter(values):
    lines.append(sorted((str(k), np.asarray(v).tolist()) for k, v in values.items()))
    return "line"

  hooks = [
    tf.train.LoggingTensorHook({"step": step, "v": v}, every_n_iter=2, formatter=formatter),
    tf.train.LoggingTensorHook(["v:0"], at_end=True, formatter=formatter),
    tf.train.LoggingTensorHook([v], every_n_secs=1000, at_end=True),
    tf.train.StopAtStepHook(last_step=5),
  ]
  with tf.train.MonitoredSession(hooks=hooks) as session:
    while not session.should_stop():
      session.run(train)
  return lines


def program_nan_hook(tf):
  value = tf.placeholder(tf.float32, [])
  found = []
  with tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(value, fail_on_nan_loss=False)]) as session:
    session.run(value, {value: 1.0})
    found.append(session.should_stop())
    session.run(value, {value: np.nan})
    found.append(session.should_stop())

  def fail():
    with tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(value)]) as session:
      session.run(value, {value: np.nan})

  return [*found, _say(fail), issubclass(tf.train.NanLossDuringTrainingError, RuntimeError)]


def program_waiter_and_final_ops(tf):
  v, _step, train = _training(tf)
  p = tf.placeholder_with_default(1.0, [], name="p")
  final = tf.train.FinalOpsHook({"v": v, "p": p * 2.0}, {"p:0": 3.0})
  hooks = [tf.train.GlobalStepWaiterHook(0), final, tf.train.StopAtStepHook(last_step=2)]
  with tf.train.MonitoredSession(hooks=hooks) as session:
    while not session.should_stop():
      session.run(train)
  nothing = tf.train.FinalOpsHook(None)
  nothing.end(None)
  return [final.final_ops_values, nothing.final_ops_values]


def program_waiter(tf):
  """A worker waits until others have made enough steps."""
  v, step, train = _training(tf)
  hook = tf.train.GlobalStepWaiterHook(3)
  hook.begin()
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    context = tf.train.SessionRunContext(tf.train.SessionRunArgs(v), session)
    thread = threading.Thread(target=lambda: found.append(hook.before_run(context)))
    thread.start()
    for _ in range(3):
      session.run(train)
    thread.join(20)
    found.append(session.run(step))
  return [*found, context.stop_requested, context.original_args.fetches is v]


def program_checkpoint_hook(tf):
  folder = _fresh("checkpoint_hook")
  _v, _step, train = _training(tf)
  calls = []

  class Listener(tf.train.CheckpointSaverListener):
    def begin(self):
      calls.append("begin")

    def before_save(self, session, global_step_value):
      calls.append(["before", global_step_value])

    def after_save(self, session, global_step_value):
      calls.append(["after", global_step_value])
      return global_step_value >= 4

    def end(self, session, global_step_value):
      calls.append(["end", global_step_value])

  saver = tf.train.Saver(max_to_keep=10)
  hook = tf.train.CheckpointSaverHook(folder, save_steps=2, saver=saver, checkpoint_basename="base", listeners=[Listener()])
  with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
    while not session.should_stop():
      session.run(train)
  return [calls, _checkpoints(folder)]


def program_checkpoint_hook_scaffold(tf):
  folder = _fresh("checkpoint_scaffold")
  _v, _step, train = _training(tf)
  scaffold = tf.train.Scaffold()
  hook = tf.train.CheckpointSaverHook(folder, save_secs=1000, scaffold=scaffold)
  with tf.train.SingularMonitoredSession(hooks=[hook, tf.train.StopAtStepHook(last_step=2)], scaffold=scaffold) as session:
    while not session.should_stop():
      session.run(train)
  return _checkpoints(folder)


def program_summary_hooks(tf):
  folder = _fresh("summary_hooks")
  v, _step, train = _training(tf)
  summary = tf.summary.scalar("sum", tf.reduce_sum(v))
  hooks = [
    tf.train.SummarySaverHook(save_steps=2, output_dir=folder, summary_op=summary),
    tf.train.StepCounterHook(every_n_steps=2, output_dir=folder),
    tf.train.StopAtStepHook(last_step=5),
  ]
  with tf.train.SingularMonitoredSession(hooks=hooks) as session:
    while not session.should_stop():
      session.run(train)
  tf.summary.FileWriterCache.clear()
  found = []
  for name in os.listdir(folder):
    for event in tf.train.summary_iterator(os.path.join(folder, name)):
      what = event.WhichOneof("what")
      found.append([what, event.step, [v.tag for v in event.summary.value]])
  return found


def program_timer(tf):
  timer = tf.train.SecondOrStepTimer(every_steps=3)
  found = []
  for step in range(8):
    due = timer.should_trigger_for_step(step)
    found.append([due, timer.last_triggered_step()])
    if due:
      elapsed = timer.update_last_triggered_step(step)
      found.append(elapsed[1])
  timer.reset()
  found.append(timer.should_trigger_for_step(8))
  slow = tf.train.SecondOrStepTimer(every_secs=1000.0)
  slow.update_last_triggered_step(1)
  return [*found, slow.should_trigger_for_step(2), slow.should_trigger_for_step(1)]


def program_hook_errors(tf):
  train = tf.train
  return [
    _say(lambda: train.StopAtStepHook()),
    _say(lambda: train.StopAtStepHook(1, 2)),
    _say(lambda: train.StopAtStepHook(1).begin()),
    _say(lambda: train.LoggingTensorHook({})),
    _say(lambda: train.LoggingTensorHook({}, every_n_iter=0)),
    _say(lambda: train.LoggingTensorHook(["a:0"], every_n_iter=1).begin()),
    _say(lambda: train.SummarySaverHook()),
    _say(lambda: train.StepCounterHook(None)),
    _say(lambda: train.SecondOrStepTimer()),
    _say(lambda: train.SecondOrStepTimer(1, 2)),
    _say(lambda: train.CheckpointSaverHook("nothing")),
    _say(lambda: train.CheckpointSaverHook("nothing", saver=1, scaffold=2)),
    _say(lambda: train.GlobalStepWaiterHook(1).begin()),
    _say(lambda: str(train.NanLossDuringTrainingError())),
  ]


def program_scaffold(tf):
  tf.get_variable("a", initializer=[1.0])
  tf.get_variable("l", initializer=[1.0], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
  tf.summary.scalar("s", 1.0)
  scaffold = tf.train.Scaffold().finalize()
  parts = ["init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op"]
  found = [getattr(scaffold, part).name for part in parts]
  found += [scaffold.init_feed_dict, scaffold.init_fn, scaffold.saver.as_saver_def()]
  with tf.Session() as session:
    before = session.run(scaffold.ready_op)
    session.run(scaffold.init_op)
    between = [session.run(scaffold.ready_for_local_init_op), session.run(scaffold.ready_op)]
    session.run(scaffold.local_init_op)
    return [*found, before, between, session.run(scaffold.ready_op)]


def program_scaffold_given(tf):
  v = tf.get_variable("v", initializer=[1.0])
  p = tf.placeholder(tf.float32, [1])
  init = tf.assign(v, p).op
  calls = []
  first = tf.train.Scaffold(
    init_op=init,
    init_feed_dict={p: [7.0]},
    init_fn=lambda scaffold, session: calls.append([type(scaffold).__name__, session.run(v)]),
    ready_op=tf.report_uninitialized_variables(),
    ready_for_local_init_op=tf.report_uninitialized_variables(),
    local_init_op=tf.no_op(name="local"),
    summary_op=tf.summary.scalar("s", 1.0),
    saver=tf.train.Saver(),
  )
  second = tf.train.Scaffold(copy_from_scaffold=first)
  with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold=second)) as session:
    value = session.run(v)
  wrong = _say(lambda: tf.train.Scaffold(copy_from_scaffold=3))
  return [value, calls, second.saver is first.saver, second.init_op is init, wrong]


def program_scaffold_collections(tf):
  key = tf.GraphKeys.READY_OP
  tf.add_to_collection(key, tf.no_op(name="one"))
  got = tf.train.Scaffold.get_or_default("ready_op", key, lambda: tf.no_op(name="other"))
  made = tf.train.Scaffold.get_or_default("x", "new", lambda: tf.no_op(name="made"))
  tf.add_to_collection(key, tf.no_op(name="two"))
  wrong = type(_say(lambda: tf.train.Scaffold.get_or_default("ready_op", key, None))).__name__
  return [
    got.name,
    made.name,
    [op.name for op in tf.get_collection("new")],
    wrong,
    tf.train.Scaffold.default_local_init_op().name,
  ]


def program_session_manager(tf):
  folder = _fresh("session_manager")
  v = tf.get_variable("v", initializer=[1.0])
  init = tf.global_variables_initializer()
  ready = tf.report_uninitialized_variables()
  saver = tf.train.Saver()
  train = tf.train
  manager = train.SessionManager(ready_op=ready, recovery_wait_secs=1)
  found = [_say(lambda: manager.prepare_session("", init_op=None))]
  session, ok = manager.recover_session("", saver, checkpoint_dir=folder)
  found.append(ok)
  session = manager.prepare_session("", init_op=init, saver=saver, checkpoint_dir=folder)
  os.makedirs(folder)
  saver.save(session, folder + "/m")
  session.run(tf.assign(v, [5.0]))
  saver.save(session, folder + "/n")
  session, ok = manager.recover_session("", saver, checkpoint_dir=folder)
  found += [ok, session.run(v)]
  session = manager.prepare_session("", init_op=init, saver=saver, checkpoint_filename_with_path=folder + "/m")
  found.append(session.run(v))
  session = manager.prepare_session("", init_fn=lambda s: s.run(init), init_feed_dict=None)
  found.append(session.run(v))
  found.append(_say(lambda: manager.prepare_session("", init_fn=lambda s: None)))
  found.append(_say(lambda: manager.wait_for_session("", max_wait_secs=1)))
  found.append(_say(lambda: train.SessionManager(ready_for_local_init_op=1)))
  both = {"checkpoint_dir": folder, "checkpoint_filename_with_path": folder + "/m"}
  found.append(_say(lambda: manager.recover_session("", saver, **both)))
  return found


def program_creators(tf):
  v = tf.get_variable("v", initializer=[2.0])
  chief = tf.train.ChiefSessionCreator(master="", config=tf.ConfigProto())
  session = chief.create_session()
  value = session.run(v)
  worker = tf.train.WorkerSessionCreator(max_wait_secs=0.5)
  wrong = type(_say(worker.create_session)).__name__
  return [value, wrong, isinstance(chief, tf.train.SessionCreator), type(_say(tf.train.SessionCreator)).__name__]


def program_supervisor(tf):
  folder = _fresh("supervisor")
  v, step, train = _training(tf)
  tf.summary.scalar("s", tf.reduce_sum(v))
  supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=1000, save_model_secs=1000)
  names = [supervisor.init_op.name, supervisor.summary_op.name, supervisor.global_step.name, supervisor.save_path]
  names += [supervisor.is_chief, supervisor.save_model_secs, supervisor.save_summaries_secs, supervisor.init_feed_dict]
  names += [supervisor.ready_for_local_init_op, supervisor.saver.as_saver_def(), supervisor.USE_DEFAULT]
  with supervisor.managed_session() as session:
    for _ in range(3):
      if not supervisor.should_stop():
        session.run(train)
    supervisor.saver.save(session, supervisor.save_path, global_step=step)
    value = session.run(v)
  # The supervisor's own thread saves once more, when it comes to it.
  return [names, value, supervisor.should_stop(), [name for name in _checkpoints(folder) if "ckpt-3" in name]]


def program_supervisor_parts(tf):
  folder = _fresh("supervisor_parts")
  v, step, train = _training(tf)
  summary = tf.summary.scalar("s", tf.reduce_sum(v))
  supervisor = tf.train.Supervisor(
    graph=tf.get_default_graph(),
    logdir=folder,
    init_fn=lambda session: None,
    summary_op=None,
    checkpoint_basename="base",
    recovery_wait_secs=1,
    stop_grace_secs=5,
    save_model_secs=0,
  )
  session = supervisor.prepare_or_wait_for_session(config=tf.ConfigProto(), start_standard_services=False)
  session.run(train)
  supervisor.summary_computed(session, session.run(summary))
  calls = []
  supervisor.loop(0.01, lambda a: (calls.append(a), supervisor.request_stop()), args=(3,))
  supervisor.wait_for_stop()
  supervisor.stop()
  session = supervisor.PrepareSession(start_standard_services=False)
  restored = session.run([v, step])
  with supervisor.stop_on_exception():
    raise tf.errors.OutOfRangeError(None, None, "the end")
  supervisor.Stop()
  return [calls[0], restored, supervisor.ShouldStop(), supervisor.coord.joined, type(supervisor.session_manager).__name__]


def program_supervisor_errors(tf):
  _training(tf)
  errors = [type(_say(lambda: tf.train.Supervisor(is_chief=False))).__name__]

  def fail():
    with tf.train.Supervisor().managed_session() as session:
      session.run(tf.get_default_graph().get_tensor_by_name("v:0"))
      raise ValueError("of the program")

  return [*errors, _say(fail)]


def program_basic_train_loop(tf):
  _v, _step, train = _training(tf)
  supervisor = tf.train.Supervisor()
  calls = []

  def train_step(session, a, b=0):
    session.run(train)
    calls.append([a, b])
    if len(calls) == 2:
      raise tf.errors.AbortedError(None, None, "again")
    if len(calls) == 4:
      supervisor.request_stop()

  tf.train.basic_train_loop(supervisor, train_step, args=(1,), kwargs={"b": 2})
  return calls


def program_queues_in_session(tf):
  """Queue runners start with the session and stop with it."""
  number = tf.train.range_input_producer(5, num_epochs=2, shuffle=False).dequeue()
  batch = tf.train.batch([number], 4, allow_smaller_final_batch=True)
  step = tf.train.get_or_create_global_step()
  count = tf.assign_add(step, 1)
  found = []
  with tf.train.MonitoredTrainingSession() as session:
    while not session.should_stop():
      found.append(session.run([batch, count])[0])
  return found


def program_devices(tf):
  """Where replicas put their nodes."""

  found = []
  setter = tf.train.replica_device_setter
  cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
  choices = [
    {"ps_tasks": 2},
    {"cluster": cluster},
    {"ps_tasks": 1, "worker_device": "/job:worker/task:1", "merge_devices": False},
    {"ps_tasks": 1, "ps_device": "/job:p/cpu:0", "ps_ops": ["Const"]},
    {"ps_tasks": 3, "ps_strategy": lambda op: len(op.name) % 3},
    {"cluster": tf.train.ClusterSpec({"worker": ["c:1"]})},
    {},
  ]
  for choice in choices:
    made = setter(**choice)
    found.append(made is None)
    with tf.device(made):
      tf.get_variable(f"a{len(found)}", [2])
      tf.get_variable(f"b{len(found)}", [2], use_resource=True)
      tf.constant(1.0)
      with tf.device("/gpu:1"):
        tf.get_variable(f"c{len(found)}", [2])
      with tf.device("/job:other"):
        tf.get_variable(f"d{len(found)}", [2])
  return [*found, _say(lambda: setter(1, ps_strategy=3)), _say(lambda: setter(cluster=3))]


def program_cluster_spec(tf):
  spec = tf.train.ClusterSpec
  one = spec({"ps": ["a:1", "b:1"], "worker": {1: "c:1", 3: "d:1"}})
  two = spec(one.as_cluster_def())
  three = spec(one)
  return [
    one.as_dict(),
    one.jobs,
    one.num_tasks("ps"),
    one.task_indices("worker"),
    one.task_address("worker", 3),
    one.job_tasks("worker"),
    one.as_cluster_def(),
    one == two,
    three != one,
    bool(spec({})),
    repr(spec({"b": ["x:1"], "a": ["y:1"]})),
    _say(lambda: spec(3)),
    _say(lambda: spec({"a": 3})),
    _say(lambda: spec({"a": [3]})),
    _say(lambda: one.task_address("b", 0)),
    _say(lambda: one.task_address("ps", 7)),
    _say(lambda: one.num_tasks("b")),
  ]


def program_server(tf):
  server = tf.train.Server.create_local_server()
  definition = server.server_def
  v = tf.get_variable("v", initializer=[1.0])
  with tf.Session(server.target) as session:
    session.run(tf.global_variables_initializer())
    value = session.run(v + 1.0)
  train = tf.train
  return [
    value,
    server.target.startswith("grpc://"),
    definition.job_name,
    definition.task_index,
    definition.protocol,
    [job.name for job in definition.cluster.job],
    _say(lambda: train.Server({"a": ["x:1"], "b": ["y:1"]})),
    _say(lambda: train.Server({"a": ["x:1", "y:1"]})),
    _say(lambda: train.Server(3)),
    _say(lambda: train.Server({"a": ["x:1"]}, job_name="b", task_index=0)),
    _say(lambda: train.Server({"a": ["x:1"]}, job_name="a", task_index=1)),
    type(_say(lambda: train.Server({"a": ["localhost:0"]}, protocol="zz"))).__name__,
  ]


def program_two_tasks(tf):
  """A parameter server and a worker in one process, by one monitored session."""
  ps = tf.train.Server({"ps": ["localhost:0"]}, job_name="ps", task_index=0, config=tf.ConfigProto())
  with tf.device("/job:ps/task:0"):
    v, step, train = _training(tf)
  with tf.train.MonitoredTrainingSession(master=ps.target, hooks=[tf.train.StopAtStepHook(last_step=3)]) as session:
    while not session.should_stop():
      session.run(train)
  with tf.Session(ps.target) as session:
    return session.run([v, step])


def program_write_graph(tf):
  tf.constant(3, name="x")
  graph = tf.get_default_graph()
  paths = [
    tf.train.write_graph(graph, "written/here", "g.pbtxt"),
    tf.io.write_graph(graph.as_graph_def(), "written", "g.pb", as_text=False),
  ]
  with open(paths[1], "rb") as file:
    read = tf.GraphDef.FromString(file.read())
  with open(paths[0], encoding="utf-8") as file:
    text = file.read()
  return [paths, [n.name for n in read.node], 'name: "x"' in text]


def program_messages(tf):
  """Messages that programs make, and their bytes."""
  train = tf.train
  example = train.Example(
    features=train.Features(
      feature={
        "a": train.Feature(int64_list=train.Int64List(value=[1, 2])),
        "b": train.Feature(bytes_list=train.BytesList(value=[b"x"])),
        "c": train.Feature(float_list=train.FloatList(value=[0.5])),
      }
    )
  )
  sequence = train.SequenceExample(
    feature_lists=train.FeatureLists(feature_list={"s": train.FeatureList(feature=[example.features.feature["a"]])})
  )
  server = train.ServerDef(
    cluster=train.ClusterDef(job=[train.JobDef(name="w", tasks={0: "a:1"})]), job_name="w", task_index=0, protocol="grpc"
  )
  made = [example, sequence, server, train.SaverDef(version=train.SaverDef.V2, max_to_keep=3)]
  return [*made, [type(m).FromString(m.SerializeToString()) == m for m in made]]
