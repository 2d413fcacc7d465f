"""Parameters of training that programs seldom give."""

import os
import shutil

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
  v = tf.get_variable("v", initializer=[0.0, 1.0])
  step = tf.train.get_or_create_global_step()
  train = tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.ones([2]), v)], global_step=step)
  return v, step, train


def program_training_session(tf):
  folder, summaries = _fresh("parameters"), _fresh("parameter_summaries")
  v, _, train = _training(tf)
  tf.summary.scalar("sum", tf.reduce_sum(v))
  with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder,
    save_checkpoint_secs=1000,
    save_summaries_secs=1000,
    summary_dir=summaries,
    hooks=[tf.train.StopAtStepHook(last_step=2)],
  ) as session:
    while not session.should_stop():
      session.run(train)
  names = sorted(name for name in os.listdir(folder) if not name.startswith("events"))
  return [names, len(os.listdir(summaries))]


def program_worker_session(tf):
  """A worker waits for a chief, who has initialized the variables of a server."""
  server = tf.train.Server.create_local_server(start=True)
  late = tf.train.Server({"local": ["localhost:0"]}, start=False)
  v, step, train = _training(tf)
  with tf.Session(server.target) as session:
    session.run(tf.global_variables_initializer())
  with tf.train.MonitoredTrainingSession(
    master=server.target, is_chief=False, hooks=[tf.train.StopAtStepHook(last_step=2)], max_wait_secs=20
  ) as session:
    while not session.should_stop():
      session.run(train)
  late.start()
  with tf.train.SingularMonitoredSession(master=late.target) as session:
    other = session.run(step)
  with tf.Session(server.target) as session:
    return [session.run([v, step]), late.target.startswith("grpc://"), other]


def program_sessions(tf):
  folder = _fresh("parameter_sessions")
  v, step, train = _training(tf)
  saver = tf.train.Saver()
  os.makedirs(folder)
  with tf.train.SingularMonitoredSession(config=tf.ConfigProto(allow_soft_placement=True), master="") as session:
    session.run(train)
    saver.save(session.raw_session(), folder + "/m", write_meta_graph=False)
  with tf.train.SingularMonitoredSession(checkpoint_filename_with_path=folder + "/m") as session:
    first = session.run([v, step])
  with tf.train.MonitoredSession(stop_grace_period_secs=3) as session:
    return [first, session.run(v)]


def program_graphs_of_steps(tf):
  graph = tf.Graph()
  step = tf.train.create_global_step(graph=graph)
  return [step.graph is graph, tf.train.get_global_step(graph=graph) is step, tf.train.get_global_step()]


def program_state_of_another_name(tf):
  folder = _fresh("parameter_state")
  os.makedirs(folder)
  tf.train.update_checkpoint_state(folder, folder + "/m", latest_filename="latest")
  state = tf.train.get_checkpoint_state(folder, latest_filename="latest")
  return [state.model_checkpoint_path, tf.train.get_checkpoint_state(folder)]


def program_producers(tf):
  numbers = tf.train.range_input_producer(4, shuffle=False, capacity=3, shared_name="numbers", name="numbers")
  row = tf.train.slice_input_producer([tf.constant([1, 1])], seed=7, capacity=2, shared_name="rows", name="rows")
  joined = tf.train.batch_join([[tf.constant([1, 2])]], 2, shapes=[[2]])
  runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator, daemon=False, start=False)
    alive = [thread.is_alive() for thread in threads]
    daemons = {thread.daemon for thread in threads}
    for thread in threads:
      thread.start()
    found = session.run([numbers.dequeue(), row[0], joined])
    coordinator.request_stop()
    session.run([runner.cancel_op for runner in runners])
    coordinator.join(threads)
  tf.train.string_input_producer(["a"], cancel_op=tf.no_op(name="cancel"))
  runner = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)[-1]
  return [any(alive), daemons, found, runner.cancel_op.name]


def program_queue_runner_ops(tf):
  queue = tf.FIFOQueue(3, [tf.int32])
  close, cancel = queue.close(name="mine"), queue.close(cancel_pending_enqueues=True, name="my_cancel")
  runner = tf.train.QueueRunner(queue, [queue.enqueue(1)], close_op=close, cancel_op=cancel)
  return [runner.to_proto(), runner.close_op is close, runner.cancel_op is cancel]


def program_device_setter(tf):
  setter = tf.train.replica_device_setter(
    ps_tasks=2, ps_device="/job:server/cpu:0", worker_device="/job:w/task:3", merge_devices=False, ps_ops=["VariableV2", "Const"]
  )
  with tf.device(setter):
    tf.get_variable("a", [2])
    tf.get_variable("b", [2])
    tf.add(1.0, 2.0)
  return []


def program_averages(tf):
  x = tf.get_variable("x", initializer=[1.0])
  t = x * 2.0
  averages = tf.train.ExponentialMovingAverage(decay=0.5, num_updates=3, zero_debias=True, name="kept")
  op = averages.apply([t])
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(op)
    session.run(op)
    return [session.run(averages.average(t)), averages.name]


program_averages.rtol = 1e-6


def program_summary_hook(tf):
  folder = _fresh("parameter_hook")
  v, _, train = _training(tf)
  tf.summary.scalar("sum", tf.reduce_sum(v))
  scaffold = tf.train.Scaffold()
  writer = tf.summary.FileWriter(folder)
  hook = tf.train.SummarySaverHook(save_secs=1000, summary_writer=writer, scaffold=scaffold)
  counter = tf.train.StepCounterHook(every_n_steps=None, every_n_secs=1000, summary_writer=writer)
  with tf.train.SingularMonitoredSession(hooks=[hook, counter], scaffold=scaffold) as session:
    for _ in range(3):
      session.run(train)
  writer.close()
  (name,) = os.listdir(folder)
  return [[e.WhichOneof("what"), e.step] for e in tf.train.summary_iterator(os.path.join(folder, name))]


def program_supervisor(tf):
  folder = _fresh("parameter_supervisor")
  v, step, train = _training(tf)
  p = tf.placeholder(tf.float32, [2])
  local = tf.get_variable("local", initializer=[0.0], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
  ready = tf.report_uninitialized_variables()
  ready_local = tf.report_uninitialized_variables(tf.global_variables())
  init = tf.group(tf.assign(v, p), step.initializer)
  writer = tf.summary.FileWriter(folder)
  manager = tf.train.SessionManager(
    local_init_op=local.initializer,
    ready_op=ready,
    ready_for_local_init_op=ready_local,
    graph=tf.get_default_graph(),
    recovery_wait_secs=1,
    local_init_run_options=tf.RunOptions(timeout_in_ms=60000),
  )
  saver = tf.train.Saver([v])
  supervisor = tf.train.Supervisor(
    ready_op=ready,
    ready_for_local_init_op=ready_local,
    init_op=init,
    init_feed_dict={p: [3.0, 4.0]},
    local_init_op=local.initializer,
    logdir=folder,
    saver=saver,
    global_step=step,
    session_manager=manager,
    summary_writer=writer,
    local_init_run_options=tf.RunOptions(timeout_in_ms=60000),
    save_model_secs=0,
    save_summaries_secs=0,
  )
  with supervisor.managed_session() as session:
    session.run(train)
    value = session.run([v, local])
  return [value, supervisor.summary_writer is writer, supervisor.saver is saver, supervisor.session_manager is manager]


def program_supervisor_services(tf):
  """The threads of a chief write summaries and checkpoints while the program trains."""
  folder = _fresh("parameter_services")
  v, _step, train = _training(tf)
  tf.summary.scalar("sum", tf.reduce_sum(v))
  supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=1, save_model_secs=1)
  session = supervisor.prepare_or_wait_for_session()
  while not any(name.endswith(".index") for name in os.listdir(folder)):
    session.run(train)
  supervisor.stop()
  kinds = set()
  for name in os.listdir(folder):
    if "tfevents" in name:
      for event in tf.train.summary_iterator(os.path.join(folder, name)):
        kinds.update([event.WhichOneof("what")] + [value.tag for value in event.summary.value])
  return [
    sorted(kinds),
    supervisor.start_queue_runners(session),
    type(_say(lambda: supervisor.StartStandardServices(session))).__name__,
  ]


def program_checkpoints_of_objects(tf):
  """The nodes are others than stock's, which takes more of them."""
  folder = _fresh("parameter_objects")

  class Words(tf.train.experimental.PythonState):
    def __init__(self):
      self.words = "begin"

    def serialize(self):
      return self.words.encode()

    def deserialize(self, string_value):
      self.words = string_value.decode()

  v = tf.get_variable("v", initializer=[1.0, 2.0])
  w = tf.get_variable("w", initializer=[3.0], use_resource=True)
  optimizer = tf.train.MomentumOptimizer(0.5, 0.5)
  op = optimizer.apply_gradients([(tf.ones([2]), v), (tf.ones([1]), w)])
  words = Words()
  checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer, inner=tf.train.Checkpoint(w=w), both=[v, w], words=words)
  found = []
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(op)
    found.append(checkpoint.save(folder + "/o", session=session))
    found.append(tf.train.list_variables(folder + "/o-1"))
    session.run(op)
    words.words = "changed"
    found.append(checkpoint.save(folder + "/o", session=session))
    found.append(checkpoint.write(folder + "/other", session=session))
    status = checkpoint.restore(folder + "/o-1")
    status.assert_consumed().run_restore_ops(session)
    found += [words.words, session.run([v, w, optimizer.get_slot(v, "momentum"), checkpoint.save_counter])]
    checkpoint.restore(None).initialize_or_restore(session)
    found.append(session.run([v, w]))
    manager = tf.train.CheckpointManager(checkpoint, folder + "/managed", 2, checkpoint_name="m")
    found.append([manager.save() for _ in range(3)])
    found += [manager.checkpoints, manager.latest_checkpoint, manager.save(checkpoint_number=7)]
    again = tf.train.CheckpointManager(checkpoint, folder + "/managed", max_to_keep=None, keep_checkpoint_every_n_hours=2)
    found += [again.checkpoints, sorted(os.listdir(folder + "/managed"))]
  return [*found, type(_say(lambda: tf.train.Checkpoint(v=3))).__name__, _say(lambda: checkpoint.restore("nothing"))]


program_checkpoints_of_objects.values_only = True


def program_saver_builder(tf):
  v = tf.get_variable("v", initializer=[1.0])
  saver = tf.train.Saver([v], builder=None, name="built", max_to_keep=None)
  return [saver.as_saver_def(), saver.last_checkpoints]


def program_sync_locking(tf):
  v = tf.get_variable("v", initializer=[1.0])
  step = tf.train.get_or_create_global_step()
  optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, use_locking=True, name="s")
  op = optimizer.apply_gradients([(tf.constant([1.0]), v), (None, tf.get_variable("w", [1]))], global_step=step, name="n")
  return [op.name, optimizer.get_name()]


def program_run_values(tf):
  """What hooks get and give."""
  values = tf.train.SessionRunValues(results=1, options=2, run_metadata=3)
  arguments = tf.train.SessionRunArgs(np.float32(1.0), feed_dict={"a": 1}, options=None)
  context = tf.train.SessionRunContext(original_args=arguments, session="s")
  context.request_stop()
  hook = tf.train.SessionRunHook()
  called = [
    hook.begin(),
    hook.after_create_session(None, None),
    hook.before_run(context),
    hook.after_run(context, values),
    hook.end(None),
  ]
  listener = tf.train.CheckpointSaverListener()
  called += [listener.begin(), listener.before_save(None, 1), listener.after_save(None, 1), listener.end(None, 1)]
  return [tuple(values), arguments.fetches, arguments.feed_dict, context.stop_requested, context.session, called]


def program_initialize_summaries(tf):
  """There are no writers of summaries of version 2 here."""
  with tf.Session() as session:
    found = [_say(lambda: tf.summary.initialize(session=session)), _say(lambda: tf.summary.initialize(graph=session.graph))]
  return [*found, _say(lambda: tf.summary.initialize())]
