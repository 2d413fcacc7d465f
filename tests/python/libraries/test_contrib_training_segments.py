"""tf.contrib.training: segments of sequences with states."""

import os
import sys
import threading

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from elements_of_queues import numbers, taken

import millrace as tf

training = tf.contrib.training


def sequences_of(number):
  """A sequence of number + 1 steps: its steps, and its number."""
  time = number + 1
  return (
    tf.as_string(number),
    {"x": tf.range(time), "y": tf.fill([time, 2], tf.cast(number, tf.float32))},
    {"c": tf.stack([number, number * 10])},
  )


def test_segments_with_states():
  """Each sequence's state is the sum of the steps so far, over all of its segments."""
  key, sequences, context = sequences_of(numbers(7))
  sequences["y"].set_shape([None, 2])
  batch = training.batch_sequences_with_states(
    input_key=key,
    input_sequences=sequences,
    input_context=context,
    input_length=None,
    initial_states={"sum": tf.constant(100.0), "more": tf.zeros([2])},
    num_unroll=3,
    batch_size=2,
    num_threads=2,
    capacity=4,
    allow_small_batch=True,
    pad=True,
    name="segments",
  )
  assert isinstance(batch, training.NextQueuedSequenceBatch)
  x = batch.sequences["x"]
  assert x.shape.as_list() == [None, 3] and batch.sequences["y"].shape.as_list() == [None, 3, 2]
  total = batch.state("sum") + tf.cast(tf.reduce_sum(x, 1), tf.float32)
  more = batch.state("more") + batch.sequences["y"][:, 0]
  saves = [batch.save_state("sum", total), batch.save_state("more", more, name="save")]
  with pytest.raises(KeyError):
    batch.save_state("other", total)
  with pytest.raises(KeyError):
    batch.state("other")
  with tf.control_dependencies(saves):
    fetches = {
      name: tf.identity(getattr(batch, name))
      for name in ("key", "next_key", "length", "total_length", "sequence", "sequence_count", "insertion_index", "batch_size")
    }
    fetches.update(sum=tf.identity(total), x=tf.identity(x), c=tf.identity(batch.context["c"]), more=tf.identity(more))
  seen = {}
  for run in taken(fetches):
    assert run["batch_size"] == len(run["key"]) <= 2
    for i, key in enumerate(run["key"].tolist()):
      place, _, rest = key.decode().partition("_of_")
      count, _, name = rest.partition(":")
      number = int(name)
      t, n = int(place), int(count)
      assert (t, n) == (run["sequence"][i], run["sequence_count"][i]) and n == -(-(number + 1) // 3)
      assert seen.setdefault(number, 0) == t
      seen[number] += 1
      steps = np.arange(number + 1)[3 * t : 3 * t + 3]
      assert run["x"][i].tolist() == steps.tolist() + [0] * (3 - len(steps))
      assert run["length"][i] == len(steps) and run["total_length"][i] == number + 1
      assert run["sum"][i] == 100 + np.arange(number + 1)[: 3 * t + 3].sum() and run["c"][i].tolist() == [number, 10 * number]
      assert run["more"][i].tolist() == [number * (t + 1)] * 2
      following = "%05d_of_%05d:%s" % (t + 1, n, name) if t + 1 < n else "STOP:" + name
      assert run["next_key"][i] == following.encode()
  assert seen == {number: -(-(number + 1) // 3) for number in range(7)}


def test_keys_are_made_unique():
  _, sequences, context = sequences_of(numbers(4))
  sequences["y"].set_shape([None, 2])
  batch = training.batch_sequences_with_states(
    tf.constant("same"),
    sequences,
    context,
    tf.constant(1),
    {"s": tf.constant(0)},
    num_unroll=4,
    batch_size=1,
    num_threads=1,
    allow_small_batch=False,
    make_keys_unique=True,
    make_keys_unique_seed=7,
  )
  with tf.control_dependencies([batch.save_state("s", batch.state("s"))]):
    fetches = [tf.identity(batch.key), tf.identity(batch.length)]
  found = taken(fetches)
  keys = [key[0] for key, _ in found]
  assert len(set(keys)) == 4 and all(key.startswith(b"00000_of_00001:same__") for key in keys)
  assert [length[0] for _, length in found] == [1] * 4


def test_state_saver_alone():
  length = tf.placeholder(tf.int32, [])
  saver = training.SequenceQueueingStateSaver(
    batch_size=1,
    num_unroll=2,
    input_length=length,
    input_key=tf.constant("k"),
    input_sequences={"s": tf.constant([1, 2, 3, 4]), "texts": tf.constant([["a"], ["b"], ["c"], ["d"]])},
    input_context={},
    initial_states={"state": tf.constant([0.5, 1.5])},
    capacity=1,
    allow_small_batch=False,
    name="saver",
  )
  assert saver.num_unroll == 2 and saver.prefetch_op is saver.prefetch_op and saver.next_batch is saver.next_batch
  batch = saver.next_batch
  save = batch.save_state("state", batch.state("state") * 2.0)
  close = saver.close(name="end")
  cancel = saver.close(cancel_pending_enqueues=True)
  with tf.Session() as session:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is longer than the padded length"):
      session.run(saver.prefetch_op, {length: 5})
    session.run(saver.prefetch_op, {length: 3})
    assert session.run(saver.batch_size) == 1 and session.run(saver.barrier.ready_size()) == 1
    first = session.run([batch.sequences["s"], batch.sequences["texts"], batch.length, batch.state("state"), save])
    assert first[0].tolist() == [[1, 2]] and first[1].tolist() == [[[b"a"], [b"b"]]] and first[2].tolist() == [2]
    assert first[3].tolist() == [[0.5, 1.5]]
    second = session.run([batch.sequences["s"], batch.length, batch.state("state"), batch.next_key, save])
    assert second[0].tolist() == [[3, 4]] and second[1].tolist() == [1] and second[2].tolist() == [[1.0, 3.0]]
    assert second[3].tolist() == [b"STOP:k"]
    session.run(close)
    with pytest.raises(tf.errors.CancelledError):
      session.run(saver.prefetch_op, {length: 3})
    session.run(cancel)
    with pytest.raises(tf.errors.OutOfRangeError):
      session.run(batch.length)


@pytest.mark.parametrize("small", [False, True])
def test_the_last_batch_may_be_small(small):
  state_saver = saver(allow_small_batch=small)
  batch = state_saver.next_batch
  save = batch.save_state("i", batch.state("i"))
  close = state_saver.close()
  with tf.Session() as session:
    session.run(state_saver.prefetch_op)
    session.run(close)
    if small:
      assert session.run([batch.sequences["s"], save])[0].tolist() == [[1, 2]]
    with pytest.raises(tf.errors.OutOfRangeError):
      session.run(batch.key)


@pytest.mark.parametrize("small", [False, True])
def test_batches_that_wait_end_with_the_input(small):
  """Segments that follow the one sequence that is in do not keep a batch waiting for a second one."""
  state_saver = saver(allow_small_batch=small, input_sequences={"s": tf.range(6)}, input_length=tf.constant(6))
  batch = state_saver.next_batch
  save = batch.save_state("i", batch.state("i") + 1)
  found = []

  def take(session):
    try:
      while True:
        found.append([v.tolist() for v in session.run([batch.sequences["s"], batch.state("i"), save])[:2]])
    except tf.errors.OutOfRangeError:
      found.append("end")

  with tf.Session() as session:
    session.run(state_saver.prefetch_op)
    thread = threading.Thread(target=take, args=[session])
    thread.start()
    session.run(state_saver.close())
    thread.join(20)
  assert found == ([[[[0, 1]], [1]], [[[2, 3]], [2]], [[[4, 5]], [3]], "end"] if small else ["end"])


def saver(**arguments):
  given = {
    "batch_size": 2,
    "num_unroll": 2,
    "input_length": tf.constant(2),
    "input_key": tf.constant("k"),
    "input_sequences": {"s": tf.constant([1, 2])},
    "input_context": {"c": tf.constant(1)},
    "initial_states": {"i": tf.constant(1)},
  }
  return training.SequenceQueueingStateSaver(**{**given, **arguments})


def test_state_saver_checks_its_arguments():
  unknown = tf.placeholder(tf.float32, [None, None])
  for error, arguments in (
    (TypeError, {"input_sequences": [1]}),
    (TypeError, {"input_context": 3}),
    (TypeError, {"initial_states": {1: tf.constant(1)}}),
    (ValueError, {"initial_states": {}}),
    (ValueError, {"input_length": tf.constant([1])}),
    (ValueError, {"input_key": tf.constant(["k"])}),
    (ValueError, {"input_sequences": {"s": unknown}}),
    (ValueError, {"input_context": {"c": unknown}}),
    (ValueError, {"initial_states": {"i": unknown}}),
    (ValueError, {"capacity": 1}),
  ):
    with pytest.raises(error):
      saver(**arguments)
  with pytest.raises(ValueError, match="input_length must be specified"):
    training.batch_sequences_with_states("k", {"s": tf.constant([1])}, {}, None, {"i": tf.constant(1)}, 1, 1, pad=False)
  with tf.Session() as session:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a multiple of the number of unroll steps"):
      session.run(saver(input_sequences={"s": tf.placeholder_with_default([1, 2, 3], [None])}).prefetch_op)


def test_segments_go_through_a_recurrent_network():
  """The state of a static_state_saving_rnn is the state of the same network over the whole sequence."""
  number = numbers(3)
  kept = tf.constant(np.random.RandomState(0).randn(3, 6, 2).astype(np.float32))
  sequence = tf.gather(kept, number)
  batch = training.batch_sequences_with_states(
    tf.as_string(number), {"x": sequence}, {}, None, {"h": tf.zeros([4])}, num_unroll=2, batch_size=3, num_threads=1
  )
  cell = tf.nn.rnn_cell.BasicRNNCell(4)
  inputs = [tf.squeeze(x, [1]) for x in tf.split(batch.sequences["x"], 2, axis=1)]
  outputs, _ = tf.nn.static_state_saving_rnn(cell, inputs, batch, "h")
  with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    whole, _ = tf.nn.dynamic_rnn(cell, kept, dtype=tf.float32)
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    wanted = session.run(whole)
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    for t in range(3):
      keys, last = session.run([batch.key, outputs[-1]])
      for key, value in zip(keys, last):
        np.testing.assert_allclose(value, wanted[int(key.split(b":")[1]), 2 * t + 1], rtol=1e-4, atol=1e-5)
    coordinator.request_stop()
    coordinator.join(threads)
