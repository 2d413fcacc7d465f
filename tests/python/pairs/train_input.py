"""Input pipelines of queues, queue runners and coordinators: their nodes, and what comes out of them."""

import os
import shutil
import threading
import time

import numpy as np


def _say(function):
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def _runs(tf, fetches, count, initialize=True):
  """What `count` runs give, with the queue runners of the graph."""
  found = []
  with tf.Session() as session:
    if initialize:
      session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
      for _ in range(count):
        found.append(session.run(fetches))
    except tf.errors.OutOfRangeError:
      found.append("the end")
    finally:
      coordinator.request_stop()
      coordinator.join(threads)
  return found


def _runners(tf):
  return [runner.to_proto() for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]


def program_batch(tf):
  number = tf.train.range_input_producer(10, shuffle=False).dequeue()
  batch = tf.train.batch([number, tf.cast(number, tf.float32) * 2.0], 4)
  return [_runs(tf, batch, 4), _runners(tf)]


def program_batch_options(tf):
  number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
  row = tf.fill([number + 1], number)
  row.set_shape([None])
  batch = tf.train.batch(
    {"b": row, "a": number},
    4,
    capacity=10,
    dynamic_pad=True,
    allow_smaller_final_batch=True,
    shared_name="shared",
    name="batches",
  )
  return [_runs(tf, batch, 5), _runners(tf)]


def program_batch_of_any_keys(tf):
  """Keys are in the order of their texts: 10 is before 9."""
  element = {9: tf.constant(1.5), "a": tf.constant("text"), 10: tf.constant(2)}
  batches = [tf.train.batch(element, 2), tf.train.shuffle_batch_join([element, element], 2, 4, 1)]
  return [
    [[str(key) for key in batch] for batch in batches],
    _runs(tf, [[batch[key] for key in element] for batch in batches], 1),
  ]


def program_batch_many(tf):
  batch = tf.train.batch([tf.constant(np.arange(10).reshape(5, 2))], 3, enqueue_many=True)
  return _runs(tf, batch, 3)


def program_batch_shapes(tf):
  values = tf.placeholder_with_default(tf.constant([1.0, 2.0]), None)
  batch = tf.train.batch([values], 2, shapes=[[2]], num_threads=2)
  return [_runs(tf, batch, 2), _runners(tf)]


def program_batch_sparse(tf):
  sparse = tf.SparseTensor([[0], [2]], [1.0, 2.0], [3])
  batch = tf.train.batch([sparse, tf.constant(7)], 2)
  return _runs(tf, batch, 2)


def program_maybe_batch(tf):
  number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
  batch = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 2)
  return _runs(tf, batch, 5)


def program_maybe_batch_constant(tf):
  batch = tf.train.maybe_batch([tf.constant(3)], tf.constant(True), 2, capacity=5, name="maybe")
  return _runs(tf, batch, 1)


def program_maybe_batch_many(tf):
  numbers = tf.constant([1, 2, 3, 4])
  batch = tf.train.maybe_batch([numbers], numbers > 2, 3, enqueue_many=True)
  return _runs(tf, batch, 2)


def program_batch_join(tf):
  batch = tf.train.batch_join([[tf.constant(1), tf.constant("a")], [tf.constant(1), tf.constant("a")]], 3)
  return [_runs(tf, batch, 2), _runners(tf)]


def program_batch_join_options(tf):
  parts = [{"x": tf.constant([[1], [2]])}, {"x": tf.constant([[1], [2]])}]
  batch = tf.train.batch_join(
    parts, 2, capacity=8, enqueue_many=True, dynamic_pad=True, allow_smaller_final_batch=True, shared_name="s", name="join"
  )
  return [_runs(tf, batch, 1), _runners(tf)]


def program_maybe_batch_join(tf):
  keep = tf.placeholder_with_default(True, [])
  batch = tf.train.maybe_batch_join([[tf.constant(1)], [tf.constant(1)]], keep, 3)
  return _runs(tf, batch, 2)


def program_shuffle_batch(tf):
  number = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
  batch = tf.train.shuffle_batch([number], 4, capacity=20, min_after_dequeue=5, seed=3, name="mixed")
  found = _runs(tf, batch, 6)
  return [sorted(x for part in found[:-1] for x in part), found[-1], _runners(tf)]


def program_shuffle_batch_options(tf):
  batch = tf.train.shuffle_batch(
    {"n": tf.constant([1, 1, 1])},
    2,
    capacity=9,
    min_after_dequeue=2,
    num_threads=2,
    enqueue_many=True,
    shapes=[[]],
    allow_smaller_final_batch=True,
    shared_name="shared",
  )
  return [_runs(tf, batch, 2), _runners(tf)]


def program_shuffle_batch_join(tf):
  batch = tf.train.shuffle_batch_join([[tf.constant(1)], [tf.constant(1)]], 2, capacity=9, min_after_dequeue=2, seed=1)
  return [_runs(tf, batch, 2), _runners(tf)]


def program_maybe_shuffle(tf):
  keep = tf.constant(True)
  one = tf.train.maybe_shuffle_batch([tf.constant(1)], 2, 9, 2, keep)
  two = tf.train.maybe_shuffle_batch_join([[tf.constant(1)], [tf.constant(1)]], 2, 9, 2, keep, name="two")
  return _runs(tf, [one, two], 2)


def program_string_producer(tf):
  queue = tf.train.string_input_producer(["a", "b", "c"], shuffle=False)
  return [queue.name, _runs(tf, queue.dequeue(), 5), _runners(tf)]


def program_string_producer_options(tf):
  queue = tf.train.string_input_producer(
    tf.constant(["a", "b"]), num_epochs=2, shuffle=True, seed=2, capacity=3, shared_name="s", name="names"
  )
  found = _runs(tf, queue.dequeue(), 6)
  return [sorted(found[:2]), sorted(found[2:4]), found[4:], [v.name for v in tf.local_variables()]]


def program_range_producer(tf):
  queue = tf.train.range_input_producer(3, num_epochs=1, seed=5, name="range")
  found = _runs(tf, queue.dequeue(), 4)
  return [sorted(found[:3]), found[3]]


def program_slice_producer(tf):
  names = tf.constant(["a", "b", "c"])
  numbers = tf.constant([[1, 1], [2, 2], [3, 3]])
  row = tf.train.slice_input_producer([names, numbers], num_epochs=1, shuffle=False)
  return _runs(tf, row, 4)


def program_input_producer(tf):
  rows = tf.constant(np.arange(6.0).reshape(3, 2))
  queue = tf.train.input_producer(rows, element_shape=[2], shuffle=False, capacity=4, summary_name="full", name="rows")
  return [_runs(tf, queue.dequeue(), 4), [s.name for s in tf.get_collection("summaries")]]


def program_limit_epochs(tf):
  x = tf.constant(3)
  limited = tf.train.limit_epochs(x, 2)
  return [tf.train.limit_epochs(x) is x, _runs(tf, limited, 4)]


def program_match_filenames(tf):
  shutil.rmtree("match", ignore_errors=True)
  os.makedirs("match")
  for name in ("a.txt", "b.txt", "c.csv"):
    open("match/" + name, "w", encoding="utf-8").close()
  one = tf.train.match_filenames_once("match/*.txt")
  two = tf.train.match_filenames_once(["match/*.csv", "match/a*"], name="both")
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    return [sorted(session.run(one)), sorted(session.run(two)), one.name, two.name]


def program_errors(tf):
  train = tf.train
  return [
    _say(lambda: train.batch([], 3)),
    _say(lambda: train.batch([tf.placeholder(tf.float32)], 3)),
    _say(lambda: train.batch_join([], 3)),
    _say(lambda: train.batch_join([[tf.constant(1)], [tf.constant(1.0)]], 3)),
    _say(lambda: train.shuffle_batch([tf.constant(1)], 2, 5, 5)),
    _say(lambda: train.string_input_producer([])),
    _say(lambda: train.limit_epochs(tf.constant(1), 0)),
    _say(lambda: train.slice_input_producer([])),
    _say(lambda: train.input_producer(tf.placeholder(tf.float32))),
    _say(lambda: train.maybe_batch([tf.constant(1)], tf.constant([True]), 2)),
  ]


def program_read_lines(tf):
  """Files of lines, decoded and batched, as programs read their data."""
  shutil.rmtree("lines", ignore_errors=True)
  os.makedirs("lines")
  for name in "ab":
    with open(f"lines/{name}.csv", "w", encoding="utf-8") as file:
      file.writelines(f"{i},{i * 0.5},{name}\n" for i in range(5))
  queue = tf.train.string_input_producer(["lines/a.csv", "lines/b.csv"], num_epochs=1, shuffle=False)
  _, line = tf.TextLineReader().read(queue)
  number, half, name = tf.decode_csv(line, [[0], [0.0], [""]])
  batch = tf.train.batch([number, half, name], 4, allow_smaller_final_batch=True)
  return _runs(tf, batch, 5)


def program_coordinator(tf):
  coordinator = tf.train.Coordinator()
  found = [coordinator.should_stop(), coordinator.wait_for_stop(0.01), coordinator.joined]

  def work():
    with coordinator.stop_on_exception():
      raise ValueError("from a thread")

  thread = threading.Thread(target=work)
  coordinator.register_thread(thread)
  thread.start()
  found.append(_say(coordinator.join))
  found += [coordinator.should_stop(), coordinator.joined, _say(coordinator.raise_requested_exception)]
  coordinator.clear_stop()
  found += [coordinator.should_stop(), coordinator.joined]
  clean = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
  clean.request_stop(KeyError("x"))
  clean.join()
  ended = tf.train.Coordinator()
  ended.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
  ended.join()
  return [*found, clean.should_stop(), ended.should_stop()]


def program_coordinator_grace(tf):
  coordinator = tf.train.Coordinator()
  thread = threading.Thread(target=lambda: time.sleep(1), name="sleeper")
  thread.start()
  coordinator.request_stop()
  found = [_say(lambda: coordinator.join([thread], stop_grace_period_secs=0.05))]
  coordinator.clear_stop()
  coordinator.request_stop()
  return [*found, coordinator.join([thread], stop_grace_period_secs=0.05, ignore_live_threads=True)]


def program_looper(tf):
  coordinator = tf.train.Coordinator()
  calls = []

  def call(a, b=0):
    calls.append((a, b))
    if len(calls) == 3:
      coordinator.request_stop()

  thread = tf.train.LooperThread.loop(coordinator, 0.01, call, args=(1,), kwargs={"b": 2})
  coordinator.join([thread])
  fast = tf.train.Coordinator()
  more = []

  def count():
    more.append(1)
    if len(more) == 5:
      fast.request_stop()

  looper = tf.train.LooperThread(fast, None, target=count)
  looper.start()
  fast.join()
  errors = [
    _say(lambda: tf.train.LooperThread(3, 1)),
    _say(lambda: tf.train.LooperThread(fast, 1, args=(1,))),
  ]
  return [calls, len(more), looper.daemon, *errors]


def program_queue_runner(tf):
  queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
  counter = tf.Variable(0)
  enqueue = queue.enqueue(counter.count_up_to(5))
  runner = tf.train.QueueRunner(queue, [enqueue, enqueue])
  found = [runner.name, [op.name for op in runner.enqueue_ops], runner.close_op.name, runner.cancel_op.name]
  found += [[t.__name__ for t in runner.queue_closed_exception_types], runner.queue is queue]
  dequeue = queue.dequeue()
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    threads = runner.create_threads(session, start=True, daemon=True)
    found += [len(threads), sorted(session.run(dequeue) for _ in range(5))]
    for thread in threads:
      thread.join()
    found += [type(_say(lambda: session.run(dequeue))).__name__, runner.exceptions_raised]
  return found


def program_queue_runner_error(tf):
  queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
  bad = queue.enqueue(tf.gather(tf.constant([1, 2]), tf.placeholder_with_default(7, [])))
  runner = tf.train.QueueRunner(queue, [bad])
  tf.train.add_queue_runner(runner, collection="mine")
  with tf.Session() as session:
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator, collection="mine")
    coordinator.wait_for_stop(10)
    return [len(threads), type(_say(lambda: coordinator.join(threads))).__name__]


def program_queue_runners_of_monitored_sessions(tf):
  """They have been started, so that no thread is left to start."""
  queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
  tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
  found = []
  for kind in (tf.train.MonitoredSession, tf.train.SingularMonitoredSession):
    with tf.Graph().as_default() if found else tf.get_default_graph().as_default():
      with kind() as session:
        found.append(tf.train.start_queue_runners(session, tf.train.Coordinator()))
        found.append(session.should_stop())
  return found


def program_queue_runner_proto(tf):
  with tf.name_scope("scope"):
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]], name="q")
    enqueue = queue.enqueue(1)
    types = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    runner = tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=types)
  proto = runner.to_proto()
  copy = tf.train.QueueRunner.from_proto(proto)
  inner = tf.train.queue_runner.QueueRunner(queue_runner_def=runner.to_proto("scope"), import_scope="scope")
  return [
    proto,
    runner.to_proto("scope"),
    runner.to_proto("other"),
    copy.name,
    inner.name,
    [t.__name__ for t in copy.queue_closed_exception_types],
    _say(lambda: tf.train.QueueRunner()),
    _say(lambda: tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=(ValueError,))),
    _say(lambda: tf.train.start_queue_runners()),
    _say(lambda: tf.train.start_queue_runners(3)),
  ]
