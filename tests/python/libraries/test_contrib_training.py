"""tf.contrib.training: hyperparameters, strategies for devices, training and evaluation."""

import json
import os

import numpy as np
import pytest

import millrace as tf

training = tf.contrib.training


def hparams():
  return training.HParams(rate=0.1, units=100, name="relu", flag=True, sizes=[1, 2, 3], words=["a", "b"], nothing=None)


def test_lists_of_hyperparameters_as_text():
  """Blanks separate as commas do, and nothing is between two of them."""
  h = hparams()
  for text, sizes in (("[1 2 3]", [1, 2, 3]), ("[4,5,]", [4, 5]), ("[ 6 , 7 ]", [6, 7]), ("[]", [])):
    assert h.parse("sizes=" + text).sizes == sizes
  assert h.parse("words=[c d,e],rate=2").words == ["c", "d", "e"] and h.rate == 2


def test_hyperparameters():
  h = hparams()
  assert (h.rate, h.units, h.name, h.flag, h.sizes, h.nothing) == (0.1, 100, "relu", True, [1, 2, 3], None)
  assert h.values() == {
    "rate": 0.1,
    "units": 100,
    "name": "relu",
    "flag": True,
    "sizes": [1, 2, 3],
    "words": ["a", "b"],
    "nothing": None,
  }
  assert "rate" in h and "other" not in h
  assert h.get("rate") == 0.1 and h.get("other") is None and h.get("other", 3) == 3 and h.get("units", default=5) == 100
  h.set_hparam("rate", 2)
  assert h.rate == 2.0 and isinstance(h.rate, float)
  h.set_hparam("sizes", [4])
  h.set_hparam("nothing", "anything")
  assert h.sizes == [4] and h.nothing == "anything"
  h.add_hparam("more.deep", 1)
  assert getattr(h, "more.deep") == 1
  h.del_hparam("more.deep")
  h.del_hparam("not there")
  assert "more.deep" not in h and not hasattr(h, "more.deep")
  small = training.HParams(b=1, a="x")
  assert str(small) == "[('a', 'x'), ('b', 1)]" and repr(small) == "HParams([('a', 'x'), ('b', 1)])"
  assert small.override_from_dict({"b": 2}) is small and small.b == 2
  assert small.set_from_map({"b": 3}) is small and small.b == 3
  structured = training.HParams(model_structure="s", c=1)
  assert structured.get_model_structure() == "s"
  structured.set_model_structure("t")
  assert structured.get_model_structure() == "t"


@pytest.mark.parametrize(
  "change,error,words",
  [
    (lambda h: h.add_hparam("rate", 1), ValueError, "Hyperparameter name is reserved: rate"),
    (lambda h: h.add_hparam("parse", 1), ValueError, "Hyperparameter name is reserved: parse"),
    (lambda h: h.add_hparam("empty", []), ValueError, "Multi-valued hyperparameters cannot be empty: empty"),
    (lambda h: h.set_hparam("other", 1), KeyError, "other"),
    (lambda h: h.set_hparam("rate", [1.0]), ValueError, "Must not pass a list for single-valued parameter: rate"),
    (lambda h: h.set_hparam("sizes", 1), ValueError, "Must pass a list for multi-valued parameter: sizes."),
    (lambda h: h.set_hparam("units", 1.5), ValueError, "Could not cast hparam 'units' of type"),
    (lambda h: h.set_hparam("units", "5"), ValueError, "Could not cast hparam 'units' of type"),
    (lambda h: h.set_hparam("units", True), ValueError, "Could not cast hparam 'units' of type"),
    (lambda h: h.set_hparam("flag", 1), ValueError, "Could not cast hparam 'flag' of type"),
    (lambda h: h.set_hparam("name", 1), ValueError, "Could not cast hparam 'name' of type"),
    (lambda h: h.get("rate", [1.0]), ValueError, "is incompatible with default"),
    (lambda h: h.get("sizes", ["a"]), ValueError, "is incompatible with default"),
    (lambda h: h.parse("sizes[7]=1"), ValueError, "Could not set element 7"),
    (lambda h: training.HParams(hparam_def=training.HParams(a=1).to_proto(), x=1), ValueError, "mutually exclusive"),
    (lambda h: training.HParams(hparam_def=3), ValueError, "must be a HParamDef"),
    (lambda h: training.HParams(x={}).to_proto(), ValueError, "Unsupported parameter type"),
  ],
)
def test_hyperparameters_have_types(change, error, words):
  with pytest.raises(error, match=words):
    change(hparams())


def test_hyperparameters_as_text():
  h = hparams()
  assert h.parse("rate=0.5,units=3, flag=false,name=tanh,sizes=[4,5,6],words=[x, y]") is h
  assert (h.rate, h.units, h.flag, h.name, h.sizes, h.words) == (0.5, 3, False, "tanh", [4, 5, 6], ["x", "y"])
  h.parse("sizes[1]=9")
  assert h.sizes == [4, 9, 6]
  h.parse("")
  types = {"a": int, "b": float, "c": bool, "d": str, "e.f": int}
  parsed = training.parse_values("a=1,b=[1e3,-.5],c=True,d[2]=x,d[0]=y,e.f = 7", types)
  assert parsed == {"a": 1, "b": [1000.0, -0.5], "c": True, "d": {2: "x", 0: "y"}, "e.f": 7}
  assert training.parse_values("z=1,a=2,a2=[3]", types, ignore_unknown=True) == {"a": 2}
  assert training.parse_values("c=[0,1,false]", types) == {"c": [False, True, False]}


@pytest.mark.parametrize(
  "text,words",
  [
    ("a", "Malformed hyperparameter value: a"),
    ("a=1,=2", "Malformed hyperparameter value: =2"),
    ("z=1", "Unknown hyperparameter type for z"),
    ("a=x", "Could not parse hparam 'a' of type 'int' with value 'x' in a=x"),
    ("a=[1,x]", "Could not parse hparam 'a'"),
    ("c=maybe", "Could not parse hparam 'c'"),
    ("a=1,a=2", "Multiple assignments to variable 'a'"),
    ("a=1,a[0]=2", "Multiple assignments to variable 'a'"),
    ("a[1]=1,a[1]=2", "Multiple assignments to variable 'a'"),
    ("a[0]=[1]", "Assignment of a list to a list index"),
  ],
)
def test_texts_that_are_no_hyperparameters(text, words):
  with pytest.raises(ValueError) as error:
    training.parse_values(text, {"a": int, "c": bool})
  assert str(error.value).startswith(words)


def test_hyperparameters_as_json():
  h = training.HParams(b=2, a=[1.5, 2.5], f=len, d=[1])
  assert json.loads(h.to_json()) == {"b": 2, "a": [1.5, 2.5], "d": [1]}
  assert h.to_json(separators=(";", "="), sort_keys=True) == '{"a"=[1.5;2.5];"b"=2;"d"=[1]}'
  assert "\n" in h.to_json(indent=2)
  assert h.parse_json('{"b": 5, "a": [0.5]}') is h and (h.b, h.a) == (5, [0.5])
  with pytest.raises(ValueError):
    h.parse_json("{")
  with pytest.raises(KeyError):
    h.parse_json('{"c": 5}')


def test_hyperparameters_as_a_message():
  h = training.HParams(i=3, f=0.5, s="text", b=True, li=[1, 2], lf=[0.25], ls=["x", "y"], lb=[True, False])
  message = h.to_proto(export_scope="scope")
  assert message.hparam["i"].int64_value == 3 and message.hparam["ls"].bytes_list.value[1] == b"y"
  for again in (training.HParams.from_proto(message, import_scope="scope"), training.HParams(message.SerializeToString())):
    assert again.values() == h.values()
  # The numbers of the fields, which files have.
  assert training.HParams(i=3).to_proto().SerializeToString() == b"\n\x07\n\x01i\x12\x02\x08\x03"
  assert training.HParams._get_kind_name(bool, True) == "bool_list"


def test_strategies_for_devices():
  def device_setter(strategy):
    return tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy))

  with device_setter(training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)):
    variables = [
      tf.get_variable("a", [100]),
      tf.get_variable("b", [10]),
      tf.get_variable("c", [20], use_resource=True),
      tf.get_variable("d", [20], dtype=tf.float64),
      tf.get_variable("e", []),
    ]
  assert [v.device[-1] for v in variables] == ["0", "1", "1", "1", "1"]
  assert [training.byte_size_load_fn(v.op) for v in variables] == [400, 40, 80, 160, 4]
  with pytest.raises(ValueError, match="must have a single output"):
    training.byte_size_load_fn(tf.split(tf.zeros([2]), 2)[0].op)
  with pytest.raises(ValueError, match="not fully defined"):
    training.byte_size_load_fn(tf.placeholder(tf.float32, [None]).op)
  one, same, other = (training.RandomStrategy(num_ps_tasks=3, seed=s) for s in (0, 0, 1))
  tasks = [[strategy(v.op) for v in variables] for strategy in (one, same, other)]
  assert tasks[0] == tasks[1] != tasks[2] and set(sum(tasks, [])) == {0, 1, 2}


def test_failures_are_forgiven():
  waits = []
  tolerator = training.FailureTolerator(
    limit=2, init_delay=0.001, backoff_factor=3.0, forgive_after_seconds=100, handled_exceptions=(ValueError,)
  )
  import time as module

  original = module.sleep
  module.sleep = waits.append
  try:
    for _ in range(2):
      with tolerator.forgive():
        raise ValueError("passes")
    with pytest.raises(KeyError), tolerator.forgive():
      raise KeyError("other")
    with pytest.raises(ValueError), tolerator.forgive():
      raise ValueError("too many")
  finally:
    module.sleep = original
  assert waits == pytest.approx([0.001, 0.003, 0.003])
  forgetful = training.FailureTolerator(init_delay=50.0, forgive_after_seconds=-1)
  for _ in range(8):
    with forgetful.forgive():
      raise tf.errors.AbortedError(None, None, "again")


def test_steps_of_training():
  x = tf.get_variable("x", initializer=[4.0, 3.0])
  y = tf.get_variable("y", initializer=[1.0])
  update = tf.assign_add(tf.Variable(0, trainable=False, name="updates"), 1).op
  tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
  loss = 2.0 * tf.reduce_sum(x) + y[0]

  def transform(pairs):
    pairs = training.multiply_gradients(pairs, {x: 3.0, "y": 0.5})
    return training.clip_gradient_norms_fn(5.0)(pairs)

  train = training.create_train_op(
    loss,
    tf.train.GradientDescentOptimizer(1.0),
    update_ops=None,
    variables_to_train=[x, y],
    transform_grads_fn=transform,
    summarize_gradients=True,
    gate_gradients=tf.train.Optimizer.GATE_GRAPH,
    aggregation_method=tf.AggregationMethod.ADD_N,
    colocate_gradients_with_ops=True,
    check_numerics=False,
  )
  plain = training.create_train_op(loss, tf.train.GradientDescentOptimizer(0.0), global_step=None, update_ops=[update])
  summaries = training.add_gradients_summaries([(tf.constant([3.0, 4.0]), x), (None, y)])
  clipped = training.clip_gradient_norms([(tf.constant([3.0, 4.0]), x), (None, y)], max_norm=1.0)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(train) == 15.0
    # 6 and 6 of norm sqrt(72) are clipped to 5, a half stays.
    np.testing.assert_allclose(session.run(x), np.array([4.0, 3.0]) - 6 * 5 / np.sqrt(72), rtol=1e-5)
    assert session.run(y) == [0.5] and session.run(tf.train.get_global_step()) == 1
    assert session.run(plain) == pytest.approx(session.run(loss)) and session.run(tf.train.get_global_step()) == 1
    assert session.run(tf.get_default_graph().get_tensor_by_name("updates:0")) == 2
    np.testing.assert_allclose(session.run(clipped[0][0]), [0.6, 0.8], rtol=1e-6)
    values = [tf.Summary.FromString(s).value[0] for s in session.run(summaries)]
  assert clipped[1] == (None, y) and values[1].simple_value == 5.0 and values[0].histo.num == 2
  for arguments, words in (((3, {x: 1}), "must be a list"), (([], {}), "is empty"), (([], [1]), "must be a dict")):
    with pytest.raises(ValueError, match=words):
      training.multiply_gradients(*arguments)


def test_training_loop_and_evaluation(tmp_path, monkeypatch):
  folder = str(tmp_path / "model")
  x = tf.get_variable("x", initializer=[8.0])
  tf.summary.scalar("x", x[0])
  train = training.create_train_op(tf.square(x[0]), tf.train.GradientDescentOptimizer(0.25))
  metadata = tf.RunMetadata()
  loss = training.train(
    train,
    folder,
    master="",
    is_chief=True,
    scaffold=tf.train.Scaffold(),
    hooks=[tf.train.StopAtStepHook(num_steps=3)],
    chief_only_hooks=[tf.train.CheckpointSaverHook(folder, save_steps=1)],
    save_checkpoint_secs=None,
    save_summaries_steps=1,
    config=tf.ConfigProto(device_count={"CPU": 1}),
    max_wait_secs=10,
    run_metadata=metadata,
  )
  assert loss == 4.0
  for arguments in ({}, {"save_summaries_steps": None}):
    with pytest.raises(ValueError, match="logdir cannot be None"):
      training.train(train, None, **arguments)
  # Other workers wait for the chief to initialize variables.
  with pytest.raises(tf.errors.DeadlineExceededError):
    training.train(train, None, is_chief=False, max_wait_secs=1)
  assert any(name.startswith("events") for name in os.listdir(folder))
  path = training.wait_for_new_checkpoint(folder, last_checkpoint=None, seconds_to_sleep=0, timeout=5)
  assert path.endswith("model.ckpt-3")
  assert training.wait_for_new_checkpoint(folder, path, seconds_to_sleep=0, timeout=0) is None
  asked = []
  found = training.checkpoints_iterator(folder, min_interval_secs=0, timeout=0, timeout_fn=lambda: asked.append(1) or True)
  assert list(found) == [path] and asked == [1]
  waits = []
  monkeypatch.setattr("time.sleep", waits.append)
  assert list(training.checkpoints_iterator(folder, min_interval_secs=30, timeout=0)) == [path]
  assert len(waits) == 1 and 0 < waits[0] <= 30
  monkeypatch.undo()

  tf.reset_default_graph()
  x = tf.get_variable("x", [1])
  step = tf.train.get_or_create_global_step()
  runs = tf.get_variable("runs", initializer=0.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
  fed = tf.placeholder_with_default(1.0, [])
  add = tf.assign_add(runs, fed)
  tf.summary.scalar("runs", runs)
  assert training.get_or_create_eval_step() is training.get_or_create_eval_step()
  found = training.evaluate_once(
    path,
    master="",
    scaffold=tf.train.Scaffold(),
    eval_ops={"add": add},
    feed_dict={fed: 2.0},
    final_ops=[x, runs, fed * 1.0, step],
    final_ops_feed_dict={fed: 7.0},
    hooks=[
      training.StopAfterNEvalsHook(4, log_progress=False),
      training.SummaryAtEndHook(log_dir=str(tmp_path / "eval"), summary_op=tf.summary.merge_all(), feed_dict={fed: 3.0}),
    ],
    config=tf.ConfigProto(device_count={"CPU": 1}),
  )
  assert [float(np.ravel(v)[0]) for v in found] == [1.0, 8.0, 7.0, 3.0]
  (name,) = os.listdir(tmp_path / "eval")
  events = [e for e in tf.train.summary_iterator(str(tmp_path / "eval" / name)) if e.summary.value]
  assert events[-1].step == 3 and events[-1].summary.value[0].simple_value == 8.0
  writer = tf.summary.FileWriterCache.get(str(tmp_path / "other"))
  again = training.evaluate_repeatedly(
    folder,
    master="",
    scaffold=tf.train.Scaffold(),
    eval_ops=[add],
    feed_dict={fed: 1.0},
    final_ops=runs,
    final_ops_feed_dict={fed: 7.0},
    eval_interval_secs=0,
    hooks=[training.StopAfterNEvalsHook(2), training.SummaryAtEndHook(summary_writer=writer)],
    config=tf.ConfigProto(device_count={"CPU": 1}),
    max_number_of_evaluations=1,
    timeout=5,
    timeout_fn=lambda: True,
  )
  assert again == 2.0
  with pytest.raises(ValueError):
    training.SummaryAtEndHook()


def test_queue_runner_that_feeds():
  value = tf.placeholder(tf.int32, [])
  queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
  numbers = iter([3, 1, 4])

  def feed():
    try:
      return {value: next(numbers)}
    except StopIteration:
      raise tf.errors.OutOfRangeError(None, None, "over") from None

  enqueue = queue.enqueue(value)
  runner = training.FeedingQueueRunner(
    queue,
    [enqueue],
    close_op=queue.close(),
    cancel_op=queue.close(cancel_pending_enqueues=True),
    feed_fns=[feed],
    queue_closed_exception_types=(tf.errors.OutOfRangeError,),
  )
  taken = queue.dequeue()
  with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = runner.create_threads(session, coord=coordinator, daemon=True, start=True)
    assert [session.run(taken) for _ in range(3)] == [3, 1, 4]
    with pytest.raises(tf.errors.OutOfRangeError):
      session.run(taken)
    coordinator.request_stop()
    coordinator.join(threads)
  with pytest.raises(ValueError):
    training.FeedingQueueRunner(queue, [enqueue], feed_fns=[feed, feed])
