"""slim.learning and slim.evaluation: train ops, whole trainings, evaluations of checkpoints."""

import os

import numpy as np


def _slim(tf):
  """tf.contrib.slim; on the stock side the package tf_slim, which needs names that TensorFlow 2.15 has elsewhere."""
  if hasattr(tf, "contrib"):
    return tf.contrib.slim
  from tensorflow.python.framework import ops

  ops.IndexedSlices, ops.Tensor = tf.IndexedSlices, tf.Tensor
  import tf_slim

  return tf_slim


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _model(tf):
  # Of resources, so that the loss is not read while the variables change.
  x = tf.Variable([1.0, 2.0], name="x", use_resource=True)
  y = tf.Variable(3.0, name="y", use_resource=True)
  counter = tf.Variable(1.0, name="counter", trainable=False)
  return tf.reduce_sum(x * x, name="loss") + tf.square(y), x, y, counter


def _sgd(tf, rate=0.1):
  return tf.train.GradientDescentOptimizer(rate)


def _nodes_of(graph, start):
  """Names and types of the nodes behind the first `start` ones, but for what gradients and clipping make."""
  nodes = graph.get_operations()[start:]
  return [(op.name, op.type) for op in nodes if not op.name.startswith(("gradients/", "clip_grads/"))]


def _after(tf, train_op, fetches):
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    return [session.run(train_op), session.run(fetches)]


def program_train_op(tf):
  loss, x, y, counter = _model(tf)
  graph = tf.get_default_graph()
  start = len(graph.get_operations())
  train_op = _slim(tf).learning.create_train_op(loss, _sgd(tf))
  nodes = _nodes_of(graph, start)
  collected = [item.name for item in tf.get_collection(tf.GraphKeys.TRAIN_OP)]
  return [nodes, collected, train_op.name, _after(tf, train_op, [x, y, counter, tf.train.get_global_step()])]


def program_train_op_with_updates(tf):
  loss, x, _, counter = _model(tf)
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(counter, 1.0, name="update"))
  graph = tf.get_default_graph()
  start = len(graph.get_operations())
  train_op = _slim(tf).learning.create_train_op(loss, _sgd(tf))
  return [_nodes_of(graph, start), _after(tf, train_op, [x, counter])]


def program_train_op_with_own_updates(tf):
  loss, x, _, counter = _model(tf)
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(counter, 1.0, name="update"))
  train_op = _slim(tf).learning.create_train_op(loss, _sgd(tf), update_ops=[tf.assign_add(counter, 5.0)])
  return _after(tf, train_op, [x, counter])


def program_train_op_clips_and_summarizes(tf):
  loss, x, y, _ = _model(tf)
  graph = tf.get_default_graph()
  start = len(graph.get_operations())
  train_op = _slim(tf).learning.create_train_op(loss, _sgd(tf), clip_gradient_norm=1.0, summarize_gradients=True)
  nodes = _nodes_of(graph, start)
  return [nodes, [item.name for item in tf.get_collection("summaries")], _after(tf, train_op, [x, y])]


def program_train_op_multiplies(tf):
  loss, x, y, _ = _model(tf)
  train_op = _slim(tf).learning.create_train_op(loss, _sgd(tf), gradient_multipliers={"x": 2.0, y: 0.0})
  return _after(tf, train_op, [x, y])


def program_train_op_of_some_variables(tf):
  loss, x, y, _ = _model(tf)
  train_op = _slim(tf).learning.create_train_op(
    loss,
    _sgd(tf),
    global_step=None,
    variables_to_train=[x],
    gate_gradients=tf.train.Optimizer.GATE_NONE,
    aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE,
    colocate_gradients_with_ops=True,
    check_numerics=False,
  )
  return [_after(tf, train_op, [x, y]), tf.train.get_global_step() is None, train_op.name]


def program_train_op_refuses_other_variables(tf):
  loss, _, _, counter = _model(tf)
  _slim(tf).learning.create_train_op(loss, _sgd(tf), variables_to_train=[counter])


def program_train_op_finds_numbers_that_are_none(tf):
  x = tf.Variable(0.0, use_resource=True)
  train_op = _slim(tf).learning.create_train_op(tf.log(x - 1.0), _sgd(tf))
  return _say(lambda: _after(tf, train_op, x))


def program_gradients(tf):
  learning = _slim(tf).learning
  x = tf.Variable([1.0, 2.0], name="x")
  grad = tf.constant([3.0, 4.0])
  rows = tf.IndexedSlices(tf.constant([[6.0, 8.0]]), tf.constant([0]))
  scaled = learning.multiply_gradients([(grad, x), (rows, x)], {x: tf.constant(2.0)})
  other = learning.multiply_gradients([(grad, x)], {"other": 2.0})
  clipped = learning.clip_gradient_norms([(grad, x), (None, x), (rows, x)], 1.0)
  summaries = learning.add_gradients_summaries([(grad, x), (None, x), (rows, x)])
  with tf.Session() as session:
    values = session.run([scaled[0][0], scaled[1][0].values, other[0][0], clipped[0][0], clipped[2][0].values])
  return [values, clipped[1][0] is None, [summary.name for summary in summaries]]


def program_gradients_refused(tf):
  multiply = _slim(tf).learning.multiply_gradients
  x = tf.Variable([1.0, 2.0], name="x")
  grad = tf.constant([3.0, 4.0])
  return [
    _say(lambda: multiply([(grad, x)], {})),
    _say(lambda: multiply([(grad, x)], [1.0])),
    _say(lambda: multiply([(None, x)], {"x": 2.0})),
    _say(lambda: multiply(((grad, x),), {"x": 2.0})),
  ]


def _files(folder):
  return sorted(name for name in os.listdir(folder) if not name.startswith("events"))


def _events(tf, folder):
  """What stands in the files of events of a folder, but for times."""
  found = []
  for name in sorted(os.listdir(folder)):
    if name.startswith("events"):
      for event in tf.train.summary_iterator(os.path.join(folder, name)):
        kind = event.WhichOneof("what")
        tags = [value.tag for value in event.summary.value] if kind == "summary" else []
        status = event.session_log.status if kind == "session_log" else None
        tag = event.tagged_run_metadata.tag if kind == "tagged_run_metadata" else None
        found.append((kind, tags, status, tag))
  return sorted(found, key=repr)


def program_train(tf):
  """Trains, and goes on from the checkpoint with the same program."""
  slim = _slim(tf)
  values = []
  for steps, arguments in (
    (3, {"trace_every_n_steps": 2, "save_summaries_secs": 300}),
    (5, {"log_every_n_steps": 2, "summary_op": None}),
  ):
    with tf.Graph().as_default() as graph:
      loss, x, _, _ = _model(tf)
      tf.summary.scalar("loss_value", loss)
      train_op = slim.learning.create_train_op(loss, _sgd(tf))
      start = len(graph.get_operations())
      values.append(slim.learning.train(train_op, "logs", number_of_steps=steps, graph=graph, **arguments))
      if steps == 3:
        nodes = [name for name in _nodes_of(graph, start) if "report_uninitialized" not in name[0]]
        # Before the next events, whose file has the same name within one second.
        kinds = [event for event in _events(tf, "logs") if event[0] in ("tagged_run_metadata", "graph_def")]
  _, x, _, _ = _model(tf)
  tf.train.get_or_create_global_step()
  with tf.Session() as session:
    tf.train.Saver().restore(session, "logs/model.ckpt-5")
    end = session.run([x, tf.train.get_global_step()])
  # The first checkpoint is taken while the training runs already, after any step.
  files = [
    name for name in _files("logs") if not name.startswith(("model.ckpt-0", "model.ckpt-1", "model.ckpt-2", "model.ckpt-4"))
  ]
  return [values, end, files, nodes, kinds]


def program_train_without_folder(tf):
  slim = _slim(tf)
  loss, x, _, _ = _model(tf)
  train_op = slim.learning.create_train_op(loss, _sgd(tf))
  assign = x.assign([0.5, 0.5])
  calls = []

  def step(session, train_op, global_step, kwargs):
    value, stop = slim.learning.train_step(session, train_op, global_step, kwargs)
    calls.append((float(value), bool(stop), sorted(kwargs)))
    return value, stop

  value = slim.learning.train(train_op, None, train_step_fn=step, number_of_steps=2, init_fn=lambda session: session.run(assign))
  return [value, calls]


def program_train_with_own_arguments(tf):
  """Every argument of train that one process can use."""
  slim = _slim(tf)
  graph = tf.Graph()
  calls = []
  with graph.as_default():
    feed = tf.placeholder(tf.float32, [2])
    x = tf.Variable(feed, name="x", use_resource=True)
    local = tf.Variable(7.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    loss = tf.reduce_sum(x * x)
    step = tf.Variable(0, name="own_step", trainable=False, dtype=tf.int64)
    train_op = slim.learning.create_train_op(loss, _sgd(tf), global_step=step)
    stop = tf.greater_equal(step, 4)
    init = tf.global_variables_initializer()
    local_init = tf.group(tf.local_variables_initializer(), tf.assign_add(step, 0))
    ready = tf.report_uninitialized_variables()
    summary = tf.summary.scalar("own", loss)
    saver = tf.train.Saver([x, step], max_to_keep=1)

  def wrapped(session):
    calls.append("wrapped")
    return session

  def last(session, train_op, global_step, kwargs):
    value, should_stop = slim.learning.train_step(session, train_op, global_step, kwargs)
    calls.append([float(session.run(local)), "summary_writer" in kwargs])
    return value, should_stop

  value = slim.learning.train(
    train_op,
    "own",
    train_step_fn=last,
    train_step_kwargs={"should_stop": stop},
    graph=graph,
    master="",
    global_step=step,
    init_op=init,
    init_feed_dict={feed: [2.0, 4.0]},
    local_init_op=local_init,
    ready_op=ready,
    summary_op=summary,
    save_summaries_secs=300,
    summary_writer=None,
    saver=saver,
    save_interval_secs=0,  # or a thread saves at some time
    session_config=tf.ConfigProto(allow_soft_placement=True),
    session_wrapper=wrapped,
    ignore_live_threads=True,
  )
  return [value, calls, _files("own")]


def program_train_to_the_end_of_the_input(tf):
  slim = _slim(tf)
  element = tf.data.Dataset.range(3).make_initializable_iterator()
  value = tf.cast(element.get_next(), tf.float32)
  x = tf.Variable(1.0, use_resource=True)
  train_op = slim.learning.create_train_op(tf.square(x) * value, _sgd(tf))
  local_init = tf.group(tf.local_variables_initializer(), element.initializer)
  # The thread that saves from time to time may or may not get to it before the end.
  return slim.learning.train(train_op, "ends", local_init_op=local_init, save_interval_secs=0), _files("ends")


def program_train_refused(tf):
  slim = _slim(tf)
  loss, _, _, _ = _model(tf)
  train_op = slim.learning.create_train_op(loss, _sgd(tf))
  replicas = tf.train.SyncReplicasOptimizer(_sgd(tf), 1)
  train = slim.learning.train
  return [
    _say(lambda: train(None, "logs")),
    _say(lambda: train(train_op, None, summary_op=tf.constant("a"))),
    _say(lambda: train(train_op, None, saver=tf.train.Saver())),
    _say(lambda: train(train_op, None, trace_every_n_steps=1)),
    _say(lambda: train(train_op, "logs", sync_optimizer=replicas, startup_delay_steps=2)),
    _say(lambda: train(train_op, "logs", number_of_steps=0)),
    _say(lambda: train(train_op, None, is_chief=False, number_of_steps=1)),
    _say(lambda: train(train_op, None, init_op=None, number_of_steps=1)),
  ]


def program_train_step(tf):
  slim = _slim(tf)
  loss, _, _, _ = _model(tf)
  step = tf.train.get_or_create_global_step()
  train_op = slim.learning.create_train_op(loss, _sgd(tf))
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    first = slim.learning.train_step(session, train_op, step, {})
    second = slim.learning.train_step(
      session, train_op, step, {"should_stop": tf.constant(True), "should_log": tf.constant(True)}
    )
    refused = _say(lambda: slim.learning.train_step(session, train_op, step, {"should_trace": tf.constant(True)}))
  return [first[0], bool(first[1]), second[0], bool(second[1]), refused]


def _checkpoint(tf, folder, value, step):
  with tf.Graph().as_default(), tf.Session() as session:
    tf.Variable(value, name="x")
    counted = tf.train.get_or_create_global_step()
    session.run(tf.global_variables_initializer())
    session.run(tf.assign(counted, step))
    os.makedirs(folder, exist_ok=True)
    return tf.train.Saver().save(session, os.path.join(folder, "model.ckpt"), global_step=step)


def program_evaluate_once(tf):
  slim = _slim(tf)
  path = _checkpoint(tf, "once", 3.0, 5)
  x = tf.Variable(1.0, name="x")
  tf.train.get_or_create_global_step()
  count = tf.Variable(0.0, name="count", collections=[tf.GraphKeys.LOCAL_VARIABLES])
  update = tf.assign_add(count, x)
  tf.summary.scalar("s", count)
  calls = []

  class Hook(tf.train.SessionRunHook):
    def after_run(self, context, values):
      calls.append("run")

    def end(self, session):
      calls.append(float(session.run(count)))

  value = slim.evaluation.evaluate_once("", path, "once_logs", num_evals=3, eval_op=update, final_op=[count, x], hooks=[Hook()])
  events = [event for event in _events(tf, "once_logs") if event[0] == "summary"]
  local = [variable.name for variable in tf.local_variables()]
  return [value, calls, events, local, [item.name for item in tf.get_collection("eval_step")]]


def program_evaluate_once_with_feeds(tf):
  slim = _slim(tf)
  path = _checkpoint(tf, "feeds", 3.0, 5)
  x = tf.Variable(1.0, name="x")
  feed = tf.placeholder(tf.float32, [])
  start = tf.Variable(feed, name="start", trainable=False, collections=[])
  tf.train.get_or_create_global_step()
  summary = tf.summary.scalar("fed", feed, collections=[])
  value = slim.evaluation.evaluate_once(
    "",
    path,
    "feeds_logs",
    num_evals=2,
    initial_op=start.initializer,
    initial_op_feed_dict={feed: 10.0},
    eval_op=tf.assign_add(start, feed),
    eval_op_feed_dict={feed: 4.0},
    final_op={"sum": start + feed, "x": x},
    final_op_feed_dict={feed: 0.5},
    summary_op=summary,
    summary_op_feed_dict={feed: 2.0},
    variables_to_restore=[x, tf.train.get_global_step()],
    session_config=tf.ConfigProto(allow_soft_placement=True),
  )
  return [value, [event for event in _events(tf, "feeds_logs") if event[0] == "summary"]]


def program_evaluation_loop(tf):
  slim = _slim(tf)
  _checkpoint(tf, "loop", 3.0, 5)
  x = tf.Variable(1.0, name="x")
  tf.train.get_or_create_global_step()
  tf.summary.scalar("s", x)
  calls = []

  def init_fn(scaffold, session):
    calls.append(float(session.run(x)))

  value = slim.evaluation.evaluation_loop(
    "",
    "loop",
    "loop_logs",
    num_evals=2,
    eval_op=x.op,
    final_op={"x": x},
    max_number_of_evaluations=1,
    eval_interval_secs=0,
    init_fn=init_fn,
  )
  return [value, calls, [event for event in _events(tf, "loop_logs") if event[0] == "summary"]]


def program_evaluation_loop_without_checkpoints(tf):
  slim = _slim(tf)
  os.makedirs("empty", exist_ok=True)
  x = tf.Variable(1.0, name="x")
  asked = []

  def timeout_fn():
    asked.append(1)
    return len(asked) == 2

  value = slim.evaluation.evaluation_loop(
    "",
    "empty",
    "empty_logs",
    initial_op=tf.global_variables_initializer(),
    eval_op=x.op,
    final_op=x,
    summary_op=None,
    timeout=0,
    timeout_fn=timeout_fn,
    variables_to_restore=[x],
    session_config=tf.ConfigProto(),
    hooks=[tf.train.SessionRunHook()],
  )
  return [value, len(asked)]


def program_checkpoints(tf):
  evaluation = _slim(tf).evaluation
  path = _checkpoint(tf, "some", 3.0, 5)
  found = evaluation.wait_for_new_checkpoint("some")
  none = evaluation.wait_for_new_checkpoint("some", path, seconds_to_sleep=1, timeout=0)
  paths = list(evaluation.checkpoints_iterator("some", min_interval_secs=0, timeout=0, timeout_fn=lambda: True))
  return [found, none, paths]


def program_summary_at_end_hook(tf):
  slim = _slim(tf)
  x = tf.Variable(1.0, name="x")
  feed = tf.placeholder(tf.float32, [])
  summary = tf.summary.scalar("s", x + feed)
  tf.train.get_or_create_global_step()
  module = slim.evaluation
  writer = tf.summary.FileWriter("hook_logs")
  hook = module.SummaryAtEndHook(summary_writer=writer, summary_op=summary, feed_dict={feed: 2.0})
  with tf.train.MonitoredSession(hooks=[hook]) as session:
    value = session.run(x)
  writer.close()
  return [value, _say(module.SummaryAtEndHook), [event for event in _events(tf, "hook_logs") if event[0] == "summary"]]


def program_a_classifier(tf):
  """A whole program: a network from arrays, trained by slim.learning.train and then evaluated."""
  slim = _slim(tf)
  numbers = np.random.RandomState(0)
  features = numbers.normal(size=(64, 3)).astype(np.float32)
  labels = (features.sum(1) > 0).astype(np.int64)

  def logits(training):
    with tf.variable_scope("net", reuse=not training):
      w = tf.get_variable("w", [3, 2], initializer=tf.zeros_initializer())
      b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
      return tf.matmul(tf.constant(features), w) + b

  with tf.Graph().as_default():
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant(labels), logits=logits(True)))
    train_op = slim.learning.create_train_op(loss, tf.train.MomentumOptimizer(0.5, 0.9), clip_gradient_norm=5.0)
    final = slim.learning.train(train_op, "net_logs", number_of_steps=30, log_every_n_steps=10)
  with tf.Graph().as_default():
    correct = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits(True), 1), labels), tf.float32))
    tf.train.get_or_create_global_step()
    accuracy = slim.evaluation.evaluate_once(
      "", tf.train.latest_checkpoint("net_logs"), "net_eval", eval_op=correct, final_op=correct
    )
  return [np.round(final, 4), accuracy]


program_a_classifier.rtol = 1e-4
