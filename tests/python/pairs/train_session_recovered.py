"""Sessions that are lost and made again, and those that wait for the chief."""

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
  os.makedirs(name)
  return name


def _logged(tf, calls, name):
  """An op that writes down when it runs."""

  def log():
    calls.append(name)
    return np.int64(0)

  return tf.py_func(log, [], tf.int64, name="log_" + name)


def _model(tf, calls, resource=False):
  """Two variables, a local one, and init ops that say when they run."""
  a = tf.get_variable("a", initializer=[1.0], use_resource=resource)
  b = tf.get_variable("b", initializer=[2.0], use_resource=resource)
  local = tf.get_variable(
    "l", initializer=[3.0], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False, use_resource=resource
  )
  with tf.control_dependencies([_logged(tf, calls, "init")]):
    init = tf.group(a.initializer, b.initializer)
  with tf.control_dependencies([_logged(tf, calls, "local_init")]):
    local_init = tf.group(local.initializer)
  return a, b, local, init, local_init


def _saved(tf, folder, values, name="m"):
  """A checkpoint of variables by name, written by a graph of its own."""
  with tf.Graph().as_default(), tf.Session() as session:
    made = [tf.get_variable(key, initializer=value) for key, value in values.items()]
    session.run([v.initializer for v in made])
    return tf.train.Saver(made).save(session, folder + "/" + name)


def program_order_of_hooks(tf):
  """Hooks begin before the graph is final, and see the session after local init."""
  folder = _fresh("order_of_hooks")
  calls = []
  a, b, local, init, local_init = _model(tf, calls)
  step = tf.train.get_or_create_global_step()
  train = tf.assign_add(step, 1)
  whole = tf.group(init, step.initializer)
  scaffold = tf.train.Scaffold(
    init_op=whole, local_init_op=local_init, init_fn=lambda scaffold, session: calls.append(["init_fn", session.run([a, b])])
  )

  class Hook(tf.train.SessionRunHook):
    def begin(self):
      calls.append(["begin", tf.get_default_graph().finalized])

    def after_create_session(self, session, coord):
      calls.append(["after", session.run([a, b, local]), tf.get_default_graph().finalized])

    def end(self, session):
      calls.append(["end", session.run(step)])

  def go():
    with tf.train.MonitoredTrainingSession(
      checkpoint_dir=folder, scaffold=scaffold, hooks=[Hook()], save_checkpoint_steps=1, save_summaries_steps=None
    ) as session:
      return session.run(train)

  return [go(), go(), calls]


def program_recovery_without_checkpoint(tf):
  """Without a checkpoint a session that is lost begins anew, with init_fn."""
  calls = []
  a, b, _local, init, local_init = _model(tf, calls)
  add = tf.assign_add(a, [1.0])
  scaffold = tf.train.Scaffold(init_op=init, local_init_op=local_init, init_fn=lambda scaffold, session: calls.append("init_fn"))
  values = []

  class Hook(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
      calls.append("created")

    def before_run(self, run_context):
      if len(values) == 2 and calls.count("created") == 1:
        raise tf.errors.UnavailableError(None, None, "away")

    def end(self, session):
      calls.append("end")

  with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold=scaffold), hooks=[Hook()]) as session:
    for _ in range(4):
      values.append(session.run([add, b])[0])
  return [values, calls]


def program_recovery_while_creating(tf):
  """A session that is lost while it is made is made again; other errors of init_fn go on."""
  calls = []
  v = tf.get_variable("v", initializer=[1.0])

  def fails(error):
    def init_fn(scaffold, session):
      calls.append(type(error).__name__)
      if len(calls) < 3:
        raise error

    return init_fn

  def go(error):
    del calls[:]
    scaffold = tf.train.Scaffold(init_fn=fails(error))
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold=scaffold)) as session:
      return [session.run(v), list(calls)]

  return [
    go(tf.errors.AbortedError(None, None, "x")),
    go(tf.errors.UnavailableError(None, None, "x")),
    [_say(lambda: go(tf.errors.InternalError(None, None, "an inner error"))), list(calls)],
    _say(lambda: go(ValueError("of the function"))),
  ]


def program_recovery_from_partial_checkpoint(tf):
  """After a loss the checkpoint of some variables doesn't make the session ready, and the error goes on."""
  folder = _fresh("recovery_part")
  a = tf.get_variable("a", initializer=[1.0])
  b = tf.get_variable("b", initializer=[2.0])
  step = tf.train.get_or_create_global_step()
  add = tf.assign_add(step, 1)
  scaffold = tf.train.Scaffold(saver=tf.train.Saver([a, step]))
  calls = []

  class Hook(tf.train.SessionRunHook):
    def before_run(self, run_context):
      calls.append("run")
      if len(calls) == 2:
        raise tf.errors.AbortedError(None, None, "away")

  def go():
    with tf.train.MonitoredTrainingSession(
      checkpoint_dir=folder, scaffold=scaffold, hooks=[Hook()], save_checkpoint_steps=1, log_step_count_steps=None
    ) as session:
      session.run([add, b])
      session.run([add, b])

  error = _say(go)
  return [type(error).__name__, str(error)[:56], calls]


def program_worker_waits_for_chief(tf):
  """A worker runs local init of its own, but not the init op; it waits until the chief's part is there."""
  server = tf.train.Server.create_local_server()
  calls = []
  a, b, local, init, local_init = _model(tf, calls)
  scaffold = tf.train.Scaffold(
    init_op=init, local_init_op=local_init, init_fn=lambda scaffold, session: calls.append("worker_init_fn")
  )
  worker = tf.train.WorkerSessionCreator(scaffold=scaffold, master=server.target, max_wait_secs=0.5)
  found = [_say(worker.create_session), list(calls)]
  with tf.Session(server.target) as session:
    session.run([a.initializer])
    found += [type(_say(worker.create_session)).__name__, list(calls)]
    session.run([b.initializer, tf.get_default_graph().get_operation_by_name("b/Assign")])
  session = worker.create_session()
  found += [session.run([a, b, local]), list(calls)]
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=False, scaffold=scaffold) as session:
    found += [session.run([a, b, local]), list(calls)]
  return found


def program_supervisor_with_saver_of_some(tf):
  folder = _fresh("supervisor_part")
  a = tf.get_variable("a", initializer=[1.0])
  b = tf.get_variable("b", initializer=[2.0])
  calls = []
  _saved(tf, folder, {"a": [10.0], "b": [20.0]})

  def go(**options):
    supervisor = tf.train.Supervisor(
      logdir=folder, init_fn=lambda session: calls.append("init_fn"), summary_op=None, save_model_secs=0, **options
    )
    with supervisor.managed_session(start_standard_services=False) as session:
      return session.run([a, b])

  part = tf.train.Saver([a])
  return [
    str(_say(lambda: go(saver=part)))[:50],
    go(saver=part, ready_op=None, local_init_op=b.initializer),
    go(saver=None),
    go(),
    calls,
  ]
