"""The places of iterators in checkpoints: saved in the middle, restored in another graph and session, by all kinds of data sets."""

import os
import shutil
import tempfile

import numpy as np


def _drain(tf, session, element, most=60):
  found = []
  try:
    while len(found) < most:
      found.append(session.run(element))
  except tf.errors.OutOfRangeError:
    found.append("end")
  return found


def _begun(tf, make):
  """The initializer, next element and saver of an iterator over a data set in a graph of its own."""
  graph = tf.Graph()
  with graph.as_default():
    tf.set_random_seed(5)
    iterator = tf.data.make_initializable_iterator(make())
    saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
    return graph, iterator.initializer, iterator.get_next(), saver


def _goes_on(tf, make, *places):
  """For each place: whether the elements behind it are the same by the iterator that was saved and by a restored one, and they."""
  found = []
  with tempfile.TemporaryDirectory() as folder:
    for before in places:
      graph, begin, element, saver = _begun(tf, make)
      with tf.Session(graph=graph) as session:
        session.run(begin)
        for _ in range(before):
          session.run(element)
        path = saver.save(session, os.path.join(folder, "input.ckpt"))
        rest = _drain(tf, session, element)
      graph, begin, element, saver = _begun(tf, make)
      with tf.Session(graph=graph) as session:
        session.run(begin)
        saver.restore(session, path)
        restored = _drain(tf, session, element)
      found += [str(rest) == str(restored), restored]
  return found


def _range(tf, n=12):
  return tf.data.Dataset.range(n)


def program_names(tf):
  iterator = tf.data.make_initializable_iterator(_range(tf))
  saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
  specs = [(s.name, s.slice_spec, s.dtype.name, s.device) for s in saveable.specs]
  with tf.Session() as session:
    session.run(iterator.initializer)
    path = tf.train.Saver([saveable]).save(session, os.path.join(tempfile.mkdtemp(), "names"))
  with tf.Session() as session:
    rows = sorted(tf.train.NewCheckpointReader(path).get_variable_to_shape_map())
  shutil.rmtree(os.path.dirname(path))
  return [saveable.name, saveable.op.name, specs, rows]


def program_sources(tf):
  slices = {"a": np.arange(5), "b": [b"p", b"q", b"r", b"s", b"t"]}
  sparse = tf.SparseTensor
  return [
    _goes_on(tf, lambda: _range(tf), 0, 3, 12),
    _goes_on(tf, lambda: tf.data.Dataset.from_tensors([1, 2]), 0, 1),
    _goes_on(tf, lambda: tf.data.Dataset.from_tensor_slices(slices), 2),
    _goes_on(tf, lambda: tf.data.Dataset.from_tensor_slices(sparse([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])), 1),
  ]


def program_random(tf):
  return _goes_on(tf, lambda: tf.data.experimental.RandomDataset(seed=3).take(9), 0, 4)


def program_selections(tf):
  return [
    _goes_on(tf, lambda: _range(tf).skip(2).take(8), 3),
    _goes_on(tf, lambda: _range(tf, 4).repeat(3), 2, 4, 6),
    _goes_on(tf, lambda: _range(tf, 4).repeat(), 6),
    _goes_on(tf, lambda: _range(tf).shard(3, 1), 2),
    _goes_on(tf, lambda: _range(tf).filter(lambda x: tf.equal(x % 3, 0)), 2),
    _goes_on(tf, lambda: _range(tf).apply(tf.data.experimental.take_while(lambda x: x < 9)), 4),
    _goes_on(tf, lambda: _range(tf).map(lambda x: x // 2).apply(tf.data.experimental.unique()), 2),
  ]


def program_batches(tf):
  ragged = lambda: _range(tf).map(lambda x: tf.range(x % 4))  # noqa: E731
  return [
    _goes_on(tf, lambda: _range(tf).batch(5), 0, 1, 2),
    _goes_on(tf, lambda: _range(tf).batch(5, drop_remainder=True), 1),
    _goes_on(tf, lambda: ragged().padded_batch(3, [None]), 2),
    _goes_on(tf, lambda: _range(tf).batch(4).apply(tf.data.experimental.unbatch()), 0, 4, 6),
    _goes_on(tf, lambda: ragged().apply(tf.data.experimental.dense_to_sparse_batch(3, [4])), 2),
  ]


def program_shuffles(tf):
  both = tf.data.experimental.shuffle_and_repeat
  return [
    _goes_on(tf, lambda: _range(tf).shuffle(5, seed=7), 0, 3, 10),
    _goes_on(tf, lambda: _range(tf, 5).shuffle(9, seed=7, reshuffle_each_iteration=False).repeat(3), 4, 7),
    _goes_on(tf, lambda: _range(tf, 5).apply(both(3, 3, seed=7)), 4, 7),
    _goes_on(tf, lambda: _range(tf).batch(2).shuffle(3, seed=1), 2),
  ]


def program_maps(tf):
  by_many = lambda **options: _range(tf).map(lambda x: x * x, num_parallel_calls=3, **options)  # noqa: E731
  fused = tf.data.experimental.map_and_batch
  return [
    _goes_on(tf, lambda: _range(tf).map(lambda x: x * x), 4),
    _goes_on(tf, by_many, 0, 4, 12),
    _goes_on(tf, lambda: by_many().batch(2).prefetch(2), 3),
    _goes_on(tf, lambda: _range(tf).apply(fused(lambda x: x + 1, 5, num_parallel_calls=2)), 1, 3),
    _goes_on(tf, lambda: _range(tf).apply(tf.data.experimental.scan(np.int64(1), lambda s, x: (s + x, s * x))), 5),
  ]


def program_interleaves(tf):
  inner = lambda x: tf.data.Dataset.range(x, x + 4).map(lambda y: x * 100 + y)  # noqa: E731
  return [
    _goes_on(tf, lambda: _range(tf, 4).flat_map(inner), 0, 4, 6),
    _goes_on(tf, lambda: _range(tf, 5).interleave(inner, cycle_length=3, block_length=2), 0, 5, 12),
    _goes_on(tf, lambda: _range(tf, 5).interleave(inner, cycle_length=2, block_length=3, num_parallel_calls=2), 4, 13),
    _goes_on(tf, lambda: _range(tf, 5).apply(tf.data.experimental.parallel_interleave(inner, 2, block_length=2)), 7),
  ]


def program_of_several(tf):
  choose = tf.data.experimental.choose_from_datasets
  choices = lambda: _range(tf, 9).map(lambda x: x % 2)  # noqa: E731
  return [
    _goes_on(tf, lambda: tf.data.Dataset.zip((_range(tf, 6), _range(tf, 9).skip(1).prefetch(1))), 0, 2, 6),
    _goes_on(tf, lambda: _range(tf, 3).concatenate(_range(tf, 5).map(lambda x: -x)), 1, 3, 5, 8),
    _goes_on(tf, lambda: choose([_range(tf, 4), _range(tf, 9).map(lambda x: -x)], choices()), 3),
  ]


def program_prefetches(tf):
  return [
    _goes_on(tf, lambda: _range(tf).prefetch(3), 0, 5, 12),
    _goes_on(tf, lambda: _range(tf).prefetch(tf.data.experimental.AUTOTUNE), 5),
    _goes_on(tf, lambda: _range(tf).shuffle(4, seed=2).prefetch(2).batch(2).prefetch(1).repeat(2), 3, 7),
  ]


def program_windows_and_groups(tf):
  even = lambda x: x % 2  # noqa: E731
  group = tf.data.experimental.group_by_window
  reducer = tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: (s, s * 2))
  return [
    _goes_on(tf, lambda: _range(tf).apply(group(even, lambda k, d: d.batch(3), window_size=3)), 0, 1, 3),
    _goes_on(tf, lambda: _range(tf).apply(group(even, lambda k, d: d.map(lambda x: -x), window_size=4)), 2, 6),
    _goes_on(tf, lambda: _range(tf).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)), 1),
    _goes_on(
      tf,
      lambda: _range(tf).apply(tf.data.experimental.bucket_by_sequence_length(lambda x: tf.cast(x, tf.int32), [4, 8], [3, 2, 2])),
      2,
    ),
  ]


def program_caches(tf):
  return [
    _goes_on(tf, lambda: _range(tf, 5).cache().repeat(3), 0, 3, 5, 8),
    _goes_on(tf, lambda: _range(tf, 5).map(lambda x: x + 1).cache().shuffle(3, seed=4), 2),
  ]


def program_files(tf):
  with tempfile.TemporaryDirectory() as folder:
    names = [os.path.join(folder, name) for name in ("a", "b", "c")]
    for i, name in enumerate(names):
      with tf.io.TFRecordWriter(name) as writer:
        for j in range(i + 2):
          writer.write(b"%d:%d" % (i, j))
      with open(name + ".txt", "w") as file:
        file.write("".join("%d,%d\n" % (i, j) for j in range(4)))
    texts = [name + ".txt" for name in names]
    return [
      _goes_on(tf, lambda: tf.data.TFRecordDataset(names), 0, 2, 4, 9),
      _goes_on(tf, lambda: tf.data.TextLineDataset(texts), 5),
      _goes_on(tf, lambda: tf.data.FixedLengthRecordDataset(texts, 4), 5),
      _goes_on(tf, lambda: tf.data.experimental.CsvDataset(texts, [tf.int32, tf.int32]), 6),
      _goes_on(tf, lambda: tf.data.Dataset.from_tensor_slices(texts).interleave(tf.data.TextLineDataset, 2, 1), 7),
    ]


def _of_sparse(tf):
  return _range(tf).map(lambda x: tf.SparseTensor(tf.stack([[x % 3]]), tf.stack([x]), [3]))


def program_sparse_elements(tf):
  return [
    _goes_on(tf, lambda: _of_sparse(tf).shuffle(4, seed=3), 2),
    _goes_on(tf, lambda: _of_sparse(tf).batch(2).prefetch(2), 2),
  ]


def program_not_initialized(tf):
  graph, _, _, saver = _begun(tf, lambda: _range(tf))
  with tf.Session(graph=graph) as session:
    saver.save(session, os.path.join(tempfile.gettempdir(), "never_written"))


def program_other_data_set(tf):
  """A state of another pipeline is refused, and the iterator goes on where it was."""
  with tempfile.TemporaryDirectory() as folder:
    graph, begin, element, saver = _begun(tf, lambda: _range(tf))
    with tf.Session(graph=graph) as session:
      session.run(begin)
      path = saver.save(session, os.path.join(folder, "input.ckpt"))
    graph, begin, _, saver = _begun(tf, lambda: _range(tf).map(lambda x: -x).batch(2).shuffle(3))
    with tf.Session(graph=graph) as session:
      session.run(begin)
      try:
        saver.restore(session, path)
        refused = False
      except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError, tf.errors.InternalError):
        refused = True
      return [refused]


def program_with_variables(tf):
  """One saver for a variable and an iterator, from the collection of what is saved."""
  folder = tempfile.mkdtemp()

  def build():
    iterator = tf.data.make_initializable_iterator(_range(tf).shuffle(5, seed=3))
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
    total = tf.get_variable("total", [], tf.int64, initializer=tf.zeros_initializer())
    return iterator.initializer, tf.assign_add(total, iterator.get_next()), tf.train.Saver()

  found = []
  with tf.Graph().as_default():
    begin, add, saver = build()
    with tf.Session() as session:
      session.run([begin, tf.global_variables_initializer()])
      found.append([session.run(add) for _ in range(4)])
      path = saver.save(session, os.path.join(folder, "model.ckpt"), global_step=4)
      found.append(_drain(tf, session, add))
  with tf.Graph().as_default():
    begin, add, saver = build()
    with tf.Session() as session:
      session.run(begin)
      saver.restore(session, path)
      found.append(_drain(tf, session, add))
  shutil.rmtree(folder)
  return found
