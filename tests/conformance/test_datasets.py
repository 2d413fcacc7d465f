"""Data sets and iterators by the stock client, on servers of ours and of stock: the same elements, ends and errors."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from data_elements import drain, numbers  # noqa: E402
from tensorflow.python.data.ops import from_generator_op  # noqa: E402

tf1 = tf.compat.v1
Dataset = tf1.data.Dataset


SEQUENCES = {
  "tensors": lambda: Dataset.from_tensors(([1, 2], "a", {"x": 2.5})),
  "slices": lambda: Dataset.from_tensor_slices((np.arange(6).reshape(3, 2), ["a", "b", "c"])),
  "wide_slices": lambda: Dataset.from_tensor_slices(np.arange(3 * 1024, dtype=np.float32).reshape(3, 1024)),
  "no_slices": lambda: Dataset.from_tensor_slices(np.zeros([0, 3], np.float32)),
  "range": lambda: Dataset.range(3, 20, 4),
  "range_down": lambda: Dataset.range(5, -7, -3),
  "range_empty": lambda: Dataset.range(5, 5),
  "range_float": lambda: Dataset.range(4, output_type=tf.float32),
  "take": lambda: Dataset.range(10).take(3),
  "take_all": lambda: Dataset.range(4).take(-1),
  "take_none": lambda: Dataset.range(4).take(0),
  "skip": lambda: Dataset.range(10).skip(7),
  "skip_all": lambda: Dataset.range(4).skip(-1),
  "skip_many": lambda: Dataset.range(4).skip(100),
  "repeat": lambda: Dataset.range(3).repeat(2),
  "repeat_forever": lambda: Dataset.range(3).repeat().take(8),
  "repeat_nothing": lambda: Dataset.range(0).repeat(),
  "repeat_never": lambda: Dataset.range(3).repeat(0),
  "zip": lambda: Dataset.zip((Dataset.range(5), numbers(7, 8, 9), Dataset.from_tensors([1, 2]).repeat())),
  "concatenate": lambda: Dataset.range(2).concatenate(Dataset.range(10, 13)).concatenate(Dataset.range(1)),
  "shard": lambda: Dataset.range(11).shard(4, 2),
  "batch": lambda: Dataset.range(7).batch(3),
  "batch_exact": lambda: Dataset.range(6).batch(3),
  "batch_drop": lambda: Dataset.range(7).batch(3, drop_remainder=True),
  "batch_strings": lambda: Dataset.from_tensor_slices(["a", "bb", "ccc"]).batch(2),
  "batch_nested": lambda: Dataset.range(10).batch(2).batch(2),
  "batch_pairs": lambda: Dataset.zip((Dataset.range(5), numbers(1, 2, 3, 4, 5, dtype=np.float32))).batch(2),
  "batch_parallel": lambda: Dataset.range(7).batch(3, num_parallel_calls=2),
  "unbatch": lambda: Dataset.from_tensor_slices(np.arange(12).reshape(2, 3, 2)).unbatch(),
  "window": lambda: Dataset.range(7).window(3, shift=2).flat_map(lambda w: w.batch(3)),
  "window_stride": lambda: Dataset.range(9).window(3, 4, 2, drop_remainder=True).flat_map(lambda w: w.batch(3)),
  "window_gap": lambda: Dataset.range(9).window(2, 4).flat_map(lambda w: w.batch(2)),
  "map": lambda: Dataset.range(5).map(lambda x: (x * x, tf.as_string(x))),
  "map_captures": lambda: Dataset.range(3).map(lambda x, k=tf.constant(10, tf.int64): x + k),
  "map_state": lambda: Dataset.range(4).map(lambda x: tf.random.uniform([], seed=3) + 0 * tf.cast(x, tf.float32)),
  "map_cond": lambda: Dataset.range(5).map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: -x)),
  "map_loop": lambda: Dataset.range(5).map(lambda x: tf.while_loop(lambda i: i < 20, lambda i: i + x + 1, [x])),
  "map_error": lambda: numbers(1, 0, 2, dtype=np.int32).map(lambda x: 6 // x),
  "map_gather": lambda: Dataset.range(4).map(lambda x: tf.gather([5, 6], x)),
  "parallel_map": lambda: Dataset.range(20).map(lambda x: x + 1, num_parallel_calls=3),
  "parallel_map_auto": lambda: Dataset.range(20).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE),
  "parallel_map_error": lambda: numbers(1, 0, 2, dtype=np.int32).map(lambda x: 6 // x, num_parallel_calls=2),
  "map_batch": lambda: Dataset.range(8).map(lambda x: x + 1, num_parallel_calls=2).batch(3).prefetch(1),
  "filter": lambda: Dataset.range(20).filter(lambda x: tf.equal(x % 3, 1)),
  "filter_nothing": lambda: Dataset.range(5000).filter(lambda x: x < 0),
  "flat_map": lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x)),
  "flat_map_nested": lambda: Dataset.range(3).flat_map(
    lambda x: Dataset.range(x + 1).flat_map(lambda y: Dataset.from_tensors(x * 10 + y).repeat(2))
  ),
  "interleave": lambda: Dataset.range(1, 6).interleave(lambda x: Dataset.from_tensors(x).repeat(x), 2, 2),
  "interleave_wide": lambda: Dataset.range(1, 6).interleave(lambda x: Dataset.from_tensors(x).repeat(x), 10, 1),
  "parallel_interleave": lambda: Dataset.range(1, 8).interleave(
    lambda x: Dataset.from_tensors(x).repeat(x), 3, 2, num_parallel_calls=2
  ),
  "interleave_auto": lambda: Dataset.range(1, 8).interleave(lambda x: Dataset.from_tensors(x).repeat(x)),
  "parallel_interleave_auto": lambda: Dataset.range(1, 8).interleave(
    lambda x: Dataset.from_tensors(x).repeat(x), num_parallel_calls=tf.data.AUTOTUNE
  ),
  "parallel_interleave_calls": lambda: Dataset.range(1, 8).interleave(
    lambda x: Dataset.from_tensors(x).repeat(x), num_parallel_calls=2
  ),
  "interleave_error": lambda: numbers(1, 0, 2, dtype=np.int32).interleave(lambda x: Dataset.from_tensors(6 // x), 2),
  "flat_map_error": lambda: numbers(1, 0, 2, dtype=np.int32).flat_map(lambda x: Dataset.from_tensors(6 // x)),
  "filter_error": lambda: numbers(1, 0, 2, dtype=np.int32).filter(lambda x: 6 // x > 0),
  "window_error": lambda: (
    numbers(1, 0, 2, 0, 3, 4, 5, dtype=np.int32).map(lambda x: 6 // x).window(2, 2, 2).flat_map(lambda w: w.batch(2))
  ),
  "batch_error": lambda: numbers(1, 0, 2, 3, 4, dtype=np.int32).map(lambda x: 6 // x).batch(2).with_options(as_written()),
  "zip_error": lambda: Dataset.zip((numbers(1, 0, 2, dtype=np.int32).map(lambda x: 6 // x), Dataset.range(3))),
  "cache": lambda: Dataset.range(4).map(lambda x: tf.random.uniform([], seed=3)).cache().repeat(2),
  "cache_take": lambda: Dataset.range(4).map(lambda x: tf.random.uniform([], seed=3)).cache().take(4).repeat(2),
  "take_while": lambda: Dataset.range(10).apply(tf.data.experimental.take_while(lambda x: x < 4)),
  "scan": lambda: Dataset.range(1, 6).apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s * x))),
  "enumerate": lambda: Dataset.from_tensor_slices(["a", "b"]).enumerate(5),
  "prefetch": lambda: Dataset.range(10).prefetch(2),
  "prefetch_auto": lambda: Dataset.range(40).prefetch(tf.data.AUTOTUNE),
  "prefetch_error": lambda: numbers(1, 0, 2, dtype=np.int32).map(lambda x: 6 // x).prefetch(4),
  "shuffle": lambda: Dataset.range(20).shuffle(7, seed=5),
  "shuffle_all": lambda: Dataset.range(10).shuffle(100, seed=1),
  "shuffle_graph_seed": lambda: Dataset.range(10).shuffle(4),
  "shuffle_repeat": lambda: Dataset.range(6).shuffle(3, seed=9).repeat(3),
  "shuffle_same": lambda: Dataset.range(6).shuffle(3, seed=9, reshuffle_each_iteration=False).repeat(3),
  "repeat_shuffle": lambda: Dataset.range(6).repeat(2).shuffle(3, seed=9),
  "small_epochs": lambda: Dataset.range(2).shuffle(9, seed=4).repeat(8),
  "options": lambda: Dataset.range(5).with_options(deterministic()),
  "padded": lambda: Dataset.range(1, 6).map(lambda x: tf.fill([x], x)).padded_batch(2, [None]),
  "padded_fixed": lambda: (
    Dataset.range(1, 4).map(lambda x: tf.fill([x, 2], x)).padded_batch(2, [4, None], np.int64(-1), drop_remainder=True)
  ),
  "padded_small": lambda: Dataset.range(1, 6).map(lambda x: tf.fill([x], x)).padded_batch(2, [3]),
  "ragged_batch": lambda: Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).batch(2).with_options(as_written()),
}


def as_written():
  """Without stock's own rewriting, which makes one op of a map and a batch and so other words of their errors."""
  options = tf.data.Options()
  options.experimental_optimization.apply_default_optimizations = False
  return options


def deterministic():
  options = tf.data.Options()
  options.deterministic = True
  return options


@pytest.mark.parametrize("name", sorted(SEQUENCES))
def test_sequence(on_both, name):
  """On a worker by a one-shot iterator, on a ps by one that is begun twice."""

  def program(cluster):
    with tf.device("/job:worker/task:0"):
      once = None
      if name not in ("map_captures",):
        once = tf1.data.make_one_shot_iterator(SEQUENCES[name]()).get_next()
    with tf.device("/job:ps/task:1"):
      iterator = tf1.data.make_initializable_iterator(SEQUENCES[name]())
      following = iterator.get_next()
    with tf1.Session(cluster.target("worker")) as session:
      seen = {"before": outcome(lambda: session.run(following))}
      if once is not None:
        seen["once"] = drain(session, once)
        seen["again"] = outcome(lambda: session.run(once))
      for begin in ("first", "second"):
        session.run(iterator.initializer)
        seen[begin] = drain(session, following)
      return seen

  on_both(program)


BAD = {
  "step_zero": lambda: Dataset.range(
    tf1.placeholder_with_default(np.int64(0), []), 5, tf1.placeholder_with_default(np.int64(0), [])
  ),
  "batch_zero": lambda: Dataset.range(5).batch(tf1.placeholder_with_default(np.int64(0), [])),
  "padded_batch_zero": lambda: Dataset.range(5).padded_batch(tf1.placeholder_with_default(np.int64(-1), []), []),
  "shard_index": lambda: Dataset.range(5).shard(
    tf1.placeholder_with_default(np.int64(3), []), tf1.placeholder_with_default(np.int64(3), [])
  ),
  "shard_none": lambda: Dataset.range(5).shard(
    tf1.placeholder_with_default(np.int64(0), []), tf1.placeholder_with_default(np.int64(3), [])
  ),
  "shuffle_zero": lambda: Dataset.range(5).shuffle(tf1.placeholder_with_default(np.int64(0), [])),
  "window_zero": lambda: Dataset.range(5).window(tf1.placeholder_with_default(np.int64(0), [])).flat_map(lambda w: w),
  "window_shift": lambda: Dataset.range(5).window(2, tf1.placeholder_with_default(np.int64(0), [])).flat_map(lambda w: w),
  "window_stride": lambda: Dataset.range(5).window(2, 1, tf1.placeholder_with_default(np.int64(0), [])).flat_map(lambda w: w),
  "prefetch": lambda: Dataset.range(5).prefetch(tf1.placeholder_with_default(np.int64(-5), [])),
  "calls": lambda: Dataset.range(5).map(lambda x: x, num_parallel_calls=tf1.placeholder_with_default(np.int64(0), [])),
  "cycle": lambda: Dataset.range(5).interleave(lambda x: Dataset.range(x), tf1.placeholder_with_default(np.int64(0), []), 1),
  "block": lambda: Dataset.range(5).interleave(lambda x: Dataset.range(x), 2, tf1.placeholder_with_default(np.int64(0), [])),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_arguments(on_both, name):
  def program(cluster):
    iterator = tf1.data.make_initializable_iterator(BAD[name]())
    with tf1.Session(cluster.target("worker")) as session:
      return outcome(lambda: session.run(iterator.initializer))

  on_both(program)


def test_lines_and_records(on_both, tmp_path):
  (tmp_path / "a.txt").write_bytes(b"one\ntwo\r\n\nf\rour\n\r")
  (tmp_path / "b.txt").write_bytes(b"five\n")
  (tmp_path / "empty.txt").write_bytes(b"")
  (tmp_path / "fixed").write_bytes(b"HEADabcdefFT")
  lines = [str(tmp_path / n) for n in ("a.txt", "empty.txt", "b.txt")]
  records = []
  for n, kind in enumerate(("", "GZIP", "ZLIB")):
    records.append(str(tmp_path / f"records{n}"))
    with tf.io.TFRecordWriter(records[-1], kind) as writer:
      for i in range(700):
        writer.write(b"r%d" % i * (i % 5))
  damaged = str(tmp_path / "damaged")
  whole = open(records[0], "rb").read()
  open(damaged, "wb").write(whole[:40] + b"?" + whole[41:])
  gone = str(tmp_path / "gone")

  def program(cluster):
    made = {
      "lines": tf1.data.TextLineDataset(lines),
      "no_lines": tf1.data.TextLineDataset([]),
      "gone": tf1.data.TextLineDataset([lines[2], gone]).take(3),
      "records": tf1.data.TFRecordDataset(records[:1]).batch(50),
      "gzip": tf1.data.TFRecordDataset(records[1], "GZIP").batch(50),
      "zlib": tf1.data.TFRecordDataset(records[2], "ZLIB").batch(50),
      "damaged": tf1.data.TFRecordDataset([damaged, records[0]]).batch(100),
      "parallel": tf1.data.TFRecordDataset([records[0]] * 3, num_parallel_reads=2).batch(100),
      "parallel_uneven": tf1.data.TextLineDataset([lines[0], lines[2], lines[1], lines[0]], num_parallel_reads=3),
      "fixed": tf1.data.FixedLengthRecordDataset([str(tmp_path / "fixed")], 3, 4, 2),
      "fixed_odd": tf1.data.FixedLengthRecordDataset([str(tmp_path / "fixed")], 4, 4, 2),
      "interleave": Dataset.from_tensor_slices(lines).interleave(tf1.data.TextLineDataset, 2, 1),
      "skip_header": Dataset.from_tensor_slices(lines).flat_map(
        lambda f: tf1.data.TextLineDataset(f).skip(1).filter(lambda l: tf.strings.length(l) > 0)
      ),
    }
    with tf.device("/job:ps/task:0"):
      nexts = {name: tf1.data.make_one_shot_iterator(ds).get_next() for name, ds in made.items()}
    with tf1.Session(cluster.target("worker")) as session:
      seen = {}
      for name, following in nexts.items():
        seen[name] = drain(session, following, 20)
      return seen

  on_both(program)


def test_generated(on_both):
  """A function makes a queue, one takes from it up to its end, the last is called once, also where the rest is left."""

  def program(cluster):
    with tf.device("/job:ps/task:0"):
      ends = tf1.get_variable("ends", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
      limit = tf1.placeholder(tf.int64, [])

      def begin(n):
        queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.int64], shapes=[[]])
        with tf.control_dependencies([tf.raw_ops.QueueEnqueueManyV2(handle=queue, components=[6 // (tf.range(n) - 3)])]):
          with tf.control_dependencies([tf.raw_ops.QueueCloseV2(handle=queue)]):
            return tf.identity(queue)

      def following_of(queue):
        return tf.ensure_shape(tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.int64])[0], [])

      def end(queue):
        with tf.control_dependencies([ends.assign_add(1, read_value=False)]):
          return tf.identity(tf.raw_ops.QueueSizeV2(handle=queue))

      made = from_generator_op._GeneratorDataset(limit, begin, following_of, end, tf.TensorSpec([], tf.int64))
      iterator = tf1.data.make_initializable_iterator(made)
      following = iterator.get_next()
    with tf1.Session(cluster.target("worker")) as session:
      session.run(ends.initializer)
      seen = []
      for n in (3, 0, 2, 5):
        session.run(iterator.initializer, {limit: n})
        seen += [drain(session, following), session.run(ends)]
      for n in (3, 1, 2):
        session.run(iterator.initializer, {limit: n})
        seen.append(session.run(following))
      # Two were left before their end.
      task_servers.wait_for(lambda: session.run(ends) >= seen[5] + 2, "they do not end")
      return seen

  on_both(program)


def test_reduce_and_options(on_both):
  def program(cluster):
    sums = Dataset.range(6).reduce(np.int64(3), lambda s, x: s + x)
    nothing = Dataset.range(0).reduce((1, "a"), lambda s, x: (s[0] + 1, s[1]))
    bad = numbers(1, 0, dtype=np.int32).reduce(0, lambda s, x: s + 6 // x)
    single = tf.data.experimental.get_single_element(Dataset.range(5, 6))
    empty = tf.data.experimental.get_single_element(Dataset.range(0))
    many = tf.data.experimental.get_single_element(Dataset.range(2))
    sizes = [
      tf.data.experimental.cardinality(ds)
      for ds in (
        Dataset.range(7).batch(2),
        Dataset.range(3).repeat(),
        Dataset.range(9).filter(lambda x: x > 1),
        Dataset.range(7).skip(2).concatenate(Dataset.range(4)),
        Dataset.range(5).shuffle(2).map(lambda x: x),
        Dataset.range(11).shard(4, 3),
        Dataset.range(4).take(9).prefetch(1),
        Dataset.range(9).window(2, 3),
      )
    ]
    optional = tf1.data.make_one_shot_iterator(Dataset.range(1)).get_next_as_optional()
    value, there = optional.get_value(), optional.has_value()
    with tf1.Session(cluster.target("worker")) as session:
      fetches = [sums, nothing, bad, single, empty, many, sizes, [there, value], [there], value]
      return [outcome(lambda: session.run(f)) for f in fetches]

  on_both(program)


def test_cached(on_both, tmp_path):
  def program(cluster):
    with tf.device("/job:ps/task:0"):
      memory = tf1.data.make_initializable_iterator(
        Dataset.range(4).map(lambda x: tf.random.uniform([], seed=3)).cache().repeat(2)
      )
      folder = str(tmp_path / cluster.kind)
      file = tf1.data.make_initializable_iterator(Dataset.range(4).map(lambda x: (x, tf.as_string(x))).cache(folder).repeat(2))
      nexts = [memory.get_next(), file.get_next()]
    with tf1.Session(cluster.target("worker")) as session:
      session.run([memory.initializer, file.initializer])
      return [drain(session, n) for n in nexts]

  on_both(program)
