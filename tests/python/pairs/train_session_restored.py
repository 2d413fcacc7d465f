"""Sessions that are restored, initialized or waited for: what runs in which order, what is loaded, and what isn't ready."""

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


def _manager(tf, calls, local_init, ready_for_local=True, **options):
  def ready(name, variables):
    names = tf.report_uninitialized_variables(variables)
    with tf.control_dependencies([_logged(tf, calls, name)]):
      return tf.identity(names)

  return tf.train.SessionManager(
    local_init_op=local_init,
    ready_op=ready("ready", None),
    ready_for_local_init_op=ready("ready_for_local", tf.global_variables()) if ready_for_local else None,
    recovery_wait_secs=1,
    **options,
  )


def _prepare(tf, given, variables, resource=False, saver_of=None, **options):
  """Calls and values of a session that is prepared from a checkpoint of the variables `given`."""
  calls = []
  folder = _fresh("restored")
  a, b, local, init, local_init = _model(tf, calls, resource)
  saver = tf.train.Saver([{"a": a, "b": b}[name] for name in variables])
  if given is not None:
    _saved(tf, folder, given)
  manager = _manager(tf, calls, local_init)

  def init_fn(session):
    calls.append("init_fn")

  def prepare():
    session = manager.prepare_session("", init_op=init, saver=saver, checkpoint_dir=folder, init_fn=init_fn, **options)
    return session.run([a, b, local])

  return [_say(prepare), calls]


def program_prepare_with_whole_checkpoint(tf):
  return _prepare(tf, {"a": [10.0], "b": [20.0]}, ["a", "b"])


def program_prepare_with_saver_of_some(tf):
  """What the saver doesn't hold stays without a value, and the session isn't ready."""
  return _prepare(tf, {"a": [10.0], "b": [20.0]}, ["a"])


def program_prepare_with_saver_of_some_resources(tf):
  return _prepare(tf, {"a": [10.0]}, ["a"], resource=True)


def program_prepare_with_checkpoint_of_some(tf):
  """A variable that the checkpoint lacks is an error of the restore; nothing is initialized."""
  result, calls = _prepare(tf, {"a": [10.0]}, ["a", "b"])
  return [type(result).__name__, calls]


def program_prepare_without_checkpoint(tf):
  return _prepare(tf, None, ["a"])


def program_prepare_with_checkpoint_of_other_shape(tf):
  result, calls = _prepare(tf, {"a": [10.0, 1.0], "b": [20.0]}, ["a", "b"])
  return [type(result).__name__, calls]


def program_prepare_waits_for_checkpoint(tf):
  return _prepare(tf, None, ["a"], wait_for_checkpoint=True, max_wait_secs=1)


def program_prepare_from_file(tf):
  """A file is restored whatever the state of its folder says; one that isn't there is an error."""
  calls = []
  folder = _fresh("from_file")
  a, b, local, init, local_init = _model(tf, calls)
  path = _saved(tf, folder, {"a": [10.0], "b": [20.0]}, "first")
  _saved(tf, folder, {"a": [11.0], "b": [21.0]}, "second")
  manager = _manager(tf, calls, local_init)
  saver = tf.train.Saver([a, b])
  session = manager.prepare_session("", init_op=init, saver=saver, checkpoint_filename_with_path=path)
  found = [session.run([a, b, local]), list(calls), saver.last_checkpoints]
  session = manager.prepare_session("", init_op=init, saver=saver, checkpoint_dir=folder)
  found += [session.run([a, b, local]), [os.path.basename(name) for name in saver.last_checkpoints]]
  found.append(_say(lambda: manager.prepare_session("", init_op=init, saver=saver, checkpoint_filename_with_path=folder + "/no")))
  session = manager.prepare_session("", init_op=init, saver=None, checkpoint_filename_with_path=path)
  return [*found, session.run(a), calls]


def program_prepare_by_init_fn_and_feeds(tf):
  calls = []
  p = tf.placeholder(tf.float32, [1])
  a = tf.get_variable("a", initializer=[1.0])
  init = tf.assign(a, p)
  manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())

  def prepare(**options):
    def init_fn(session):
      calls.append(_say(lambda: session.run(a)))

    return manager.prepare_session("", init_fn=init_fn, **options).run(a)

  without_value = _say(lambda: prepare(init_op=init))
  found = [type(without_value).__name__, prepare(init_op=init, init_feed_dict={p: [5.0]})]
  only_function = _say(lambda: prepare())
  return [*found, str(only_function)[:40], [type(c).__name__ for c in calls]]


def program_prepare_not_ready(tf):
  """The errors name what has no value; local init does not run before its own check."""
  calls = []
  a, b, local, _, local_init = _model(tf, calls)
  manager = _manager(tf, calls, local_init)
  found = [_say(lambda: manager.prepare_session("", init_op=a.initializer))]
  unready = _manager(tf, calls, tf.no_op(name="nothing"), ready_for_local=False)
  found += [_say(lambda: unready.prepare_session("", init_op=tf.group(a.initializer, b.initializer)))]
  nothing = tf.train.SessionManager(local_init_op=local_init)
  found += [_say(lambda: nothing.prepare_session("").run(local)), calls]
  return [str(e) if isinstance(e, Exception) else e for e in found]


def program_ready_op_raises(tf):
  """A ready op that fails for want of a variable says not ready, any other error goes on."""
  v = tf.get_variable("v", initializer=[1.0], use_resource=False)
  init = v.initializer
  by_value = tf.train.SessionManager(ready_op=tf.reduce_sum(v))
  number = tf.train.SessionManager(ready_op=tf.constant(3))
  bad = tf.train.SessionManager(ready_op=tf.gather([1, 2], tf.placeholder_with_default(7, [])))
  none = tf.train.SessionManager(ready_op=tf.no_op())
  nothing = tf.no_op()
  found = [
    _say(lambda: by_value.prepare_session("", init_op=nothing)),
    _say(lambda: number.prepare_session("", init_op=nothing).run(init)),
    _say(lambda: bad.prepare_session("", init_op=init)),
    _say(lambda: none.prepare_session("", init_op=init).run(v)),
  ]
  return [type(e).__name__ if isinstance(e, Exception) else e for e in found]


def program_recover_session(tf):
  """Local init runs always; a session is ready only when it was restored and nothing lacks a value."""
  calls = []
  folder = _fresh("recover")
  a, b, local, init, local_init = _model(tf, calls)
  manager = _manager(tf, calls, local_init)
  part, whole = tf.train.Saver([a]), tf.train.Saver([a, b])
  found = []

  def recover(saver, **options):
    session, ok = manager.recover_session("", saver, **options)
    found.append([ok, [_say(lambda v=v: session.run(v)) for v in (a, b, local)], list(calls)])
    del calls[:]

  recover(whole, checkpoint_dir=folder)
  recover(whole, checkpoint_dir=folder, wait_for_checkpoint=True, max_wait_secs=1)
  path = _saved(tf, folder, {"a": [10.0], "b": [20.0]})
  recover(part, checkpoint_dir=folder)
  recover(whole, checkpoint_dir=folder)
  recover(whole, checkpoint_filename_with_path=path)
  recover(None, checkpoint_dir=folder)
  return [found, type(init).__name__]


def program_scaffold_with_saver_of_some(tf):
  folder = _fresh("scaffold_part")
  a = tf.get_variable("a", initializer=[1.0])
  b = tf.get_variable("b", initializer=[2.0])
  step = tf.train.get_or_create_global_step()
  calls = []
  scaffold = tf.train.Scaffold(
    saver=tf.train.Saver([a]), init_fn=lambda scaffold, session: calls.append(session.run([a, b, step]))
  )

  def train(**options):
    with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, scaffold=scaffold, **options) as session:
      return session.run([a, b, step])

  first = train(save_checkpoint_steps=1)
  second = _say(lambda: train())
  with tf.train.SingularMonitoredSession(scaffold=scaffold) as session:
    third = session.run([a, b])
  return [first, type(second).__name__, str(second)[:60], "uninit" in str(second), third, calls]


def program_scaffold_that_finishes_after_restore(tf):
  """A local init op that gives what the saver doesn't hold, when nothing else is waited for."""
  folder = _fresh("scaffold_after")
  a = tf.get_variable("a", initializer=[1.0])
  b = tf.get_variable("b", initializer=[2.0])
  _saved(tf, folder, {"a": [10.0]})
  scaffold = tf.train.Scaffold(
    saver=tf.train.Saver([a]),
    ready_for_local_init_op=tf.report_uninitialized_variables([a]),
    local_init_op=tf.group(b.initializer, tf.train.Scaffold.default_local_init_op()),
  )
  with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, scaffold=scaffold, save_checkpoint_secs=None) as session:
    return session.run([a, b])


def program_singular_session_from_file(tf):
  folder = _fresh("singular_file")
  a = tf.get_variable("a", initializer=[1.0])
  path = _saved(tf, folder, {"a": [10.0]}, "first")
  _saved(tf, folder, {"a": [20.0]}, "second")

  def value(**options):
    with tf.train.SingularMonitoredSession(**options) as session:
      return session.run(a)

  return [
    value(checkpoint_filename_with_path=path),
    value(checkpoint_dir=folder),
    value(checkpoint_dir=folder + "/none"),
    value(),
    _say(lambda: value(checkpoint_dir=folder, checkpoint_filename_with_path=path)),
    type(_say(lambda: value(checkpoint_filename_with_path=folder + "/none"))).__name__,
    tf.get_default_graph().finalized,
  ]
