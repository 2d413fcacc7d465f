"""Data sets: sources, steps, iterators, and what does not fit."""

import numpy as np


def _all(tf, dataset, most=50):
  """The elements of a data set, by an initializable iterator."""
  iterator = dataset.make_initializable_iterator()
  element = iterator.get_next()
  found = []
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    session.run(iterator.initializer)
    try:
      while len(found) < most:
        found.append(session.run(element))
    except tf.errors.OutOfRangeError:
      found.append("end")
  return found


def program_one_shot(tf):
  element = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * 2).make_one_shot_iterator().get_next()
  with tf.Session() as session:
    return [session.run(element) for _ in range(3)]


def program_one_shot_of_files(tf):
  """What a list of files waits for, the check that there are any, is no state, and is not asked for a one-shot iterator."""
  found = []
  for shuffle in (False, True):
    files = tf.data.Dataset.list_files("/proc/self/statu*", shuffle=shuffle, seed=1).repeat(2)
    element = files.make_one_shot_iterator().get_next()
    with tf.Session() as session:
      found.append([session.run(element), session.run(element)])
  element = tf.data.Dataset.list_files("/nowhere/*").make_one_shot_iterator().get_next()
  with tf.Session() as session:
    session.run(element)
  return found


def program_end(tf):
  element = tf.data.Dataset.range(1).make_one_shot_iterator().get_next()
  with tf.Session() as session:
    session.run(element)
    session.run(element)


def program_not_initialized(tf):
  element = tf.data.Dataset.range(1).make_initializable_iterator().get_next()
  with tf.Session() as session:
    session.run(element)


def program_structures(tf):
  dataset = tf.data.Dataset.from_tensor_slices(([1, 2], {"b": [1.0, 2.0], "a": ["x", "y"]}))
  shapes = str(dataset.output_shapes)
  return _all(tf, dataset) + [shapes, str(dataset.output_types)]


def program_fed(tf):
  x = tf.placeholder(tf.float32, [None, 2])
  iterator = tf.data.Dataset.from_tensor_slices(x).batch(2).make_initializable_iterator(shared_name="fed")
  element = iterator.get_next("rows")
  with tf.Session() as session:
    session.run(iterator.initializer, {x: np.ones([3, 2], np.float32)})
    return [session.run(element), session.run(element), str(element.shape)]


def program_zip_and_range(tf):
  dataset = tf.data.Dataset
  return _all(tf, dataset.zip((dataset.range(5), {"a": dataset.range(1, 4), "b": dataset.range(9, 1, -3)})))


def program_repeat_take_skip(tf):
  return _all(tf, tf.data.Dataset.range(4).repeat(3).skip(2).take(7).enumerate(start=5))


def program_forever(tf):
  return _all(tf, tf.data.Dataset.range(3).repeat(), 7)


def program_shuffle(tf):
  tf.set_random_seed(3)
  dataset = tf.data.Dataset.range(10).shuffle(5, seed=7).repeat(2).shuffle(4, reshuffle_each_iteration=False)
  return _all(tf, dataset)


def program_cache_prefetch_shard(tf):
  return _all(tf, tf.data.Dataset.range(10).cache().prefetch(2).shard(3, 1))


def program_concatenate(tf):
  one = tf.data.Dataset.from_tensors([1, 2])
  return _all(tf, one.concatenate(tf.data.Dataset.from_tensors([3, 4, 5])))


def program_concatenate_types(tf):
  tf.data.Dataset.range(3).concatenate(tf.data.Dataset.from_tensors(1.0))


def program_batches(tf):
  dataset = tf.data.Dataset.range(7)
  return _all(tf, dataset.batch(3)) + _all(tf, dataset.batch(3, drop_remainder=True))


def program_padded(tf):
  dataset = tf.data.Dataset.range(1, 6).map(lambda n: (tf.fill([tf.cast(n, tf.int32)], n), tf.as_string(n)))
  batches = dataset.padded_batch(2, ([None], []))
  fixed = dataset.padded_batch(2, ([6], []), padding_values=(np.int64(-1), ""), drop_remainder=True)
  return _all(tf, batches) + _all(tf, fixed)


def program_padded_too_small(tf):
  tf.data.Dataset.from_tensors([1, 2, 3]).padded_batch(2, [2])


def program_map_parallel(tf):
  return _all(tf, tf.data.Dataset.range(6).map(lambda x: x + 1, num_parallel_calls=3))


def program_map_structures(tf):
  dataset = tf.data.Dataset.range(3).map(lambda x: {"a": x, "b": (x + 1, [x, x])})
  return _all(tf, dataset.map(lambda d: d["a"] + d["b"][0] + tf.reduce_sum(d["b"][1])))


def program_map_captures(tf):
  factor = tf.constant(3, tf.int64)
  offset = tf.get_variable("offset", [], tf.int64, initializer=tf.constant_initializer(10))
  resource = tf.get_variable("resource", [], tf.int64, initializer=tf.constant_initializer(100), use_resource=True)
  return _all(tf, tf.data.Dataset.range(3).map(lambda x: x * factor + offset + resource))


def program_one_shot_with_variable(tf):
  v = tf.get_variable("v", [], tf.int64)
  tf.data.Dataset.range(3).map(lambda x: x + v).make_one_shot_iterator()


def program_map_with_table(tf):
  table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
  return _all(tf, tf.data.Dataset.from_tensor_slices(["b", "a", "c"]).map(table.lookup))


program_map_with_table.values_only = True  # the name of the table in its node is made by chance


def program_map_loop(tf):
  def body(n):
    return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0, tf.int64), tf.constant(0, tf.int64)])[1]

  return _all(tf, tf.data.Dataset.range(5).map(body))


def program_map_cond(tf):
  return _all(tf, tf.data.Dataset.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 10, lambda: -x)))


def program_map_random(tf):
  tf.set_random_seed(5)
  return _all(tf, tf.data.Dataset.range(3).map(lambda x: tf.random_uniform([2]) + tf.random_uniform([], seed=3)))


def program_map_nothing_callable(tf):
  tf.data.Dataset.range(3).map(3)


def program_map_fails(tf):
  dataset = tf.data.Dataset.range(3).map(lambda x: tf.check_numerics(1.0 / tf.cast(x, tf.float32), "broken"))
  return _all(tf, dataset)


def program_flat_map(tf):
  return _all(tf, tf.data.Dataset.range(4).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x)))


def program_interleave(tf):
  dataset = tf.data.Dataset.range(1, 5)
  make = lambda x: tf.data.Dataset.from_tensors(x).repeat(3)
  plain = dataset.interleave(make, cycle_length=2, block_length=2)
  parallel = dataset.interleave(make, cycle_length=3, block_length=1, num_parallel_calls=2)
  return _all(tf, plain) + _all(tf, parallel)


def program_filter(tf):
  return _all(tf, tf.data.Dataset.range(10).filter(lambda x: tf.equal(x % 3, 1)))


def program_filter_without_bool(tf):
  tf.data.Dataset.range(10).filter(lambda x: x)


def program_window(tf):
  windows = tf.data.Dataset.range(9).window(3, shift=2, stride=2, drop_remainder=True)
  return _all(tf, windows.flat_map(lambda w: w.batch(3)))


def program_reduce(tf):
  total = tf.data.Dataset.range(6).reduce((np.int64(0), 0.0), lambda s, x: (s[0] + x, s[1] + tf.cast(x, tf.float32) / 2))
  with tf.Session() as session:
    return session.run(total)


def program_unbatch(tf):
  return _all(tf, tf.data.Dataset.from_tensors(([1, 2, 3], [[1.0], [2.0], [3.0]])).unbatch())


def program_sparse(tf):
  s = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 3])
  slices = tf.data.Dataset.from_tensor_slices((s, [1, 2])).batch(2)
  return _all(tf, slices) + _all(tf, tf.data.Dataset.from_sparse_tensor_slices(s))


def program_apply(tf):
  return _all(tf, tf.data.Dataset.range(3).apply(lambda d: d.map(lambda x: x + 1)))


def program_apply_wrong(tf):
  tf.data.Dataset.range(3).apply(lambda d: 3)


def program_zip_of_list(tf):
  tf.data.Dataset.zip([tf.data.Dataset.range(3)])


def program_range_without_arguments(tf):
  tf.data.Dataset.range()


def program_slices_of_scalar(tf):
  tf.data.Dataset.from_tensor_slices(1)


def program_slices_of_different_sizes(tf):
  tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


def program_options(tf):
  options = tf.data.Options()
  options.experimental_deterministic = False
  options.experimental_slack = True
  more = tf.data.Options()
  more.experimental_optimization.map_fusion = True
  dataset = tf.data.Dataset.range(3).with_options(options).with_options(more)
  both = dataset.options()
  return _all(tf, dataset) + [both.experimental_deterministic, both.experimental_optimization.map_fusion]


def program_option_of_wrong_type(tf):
  tf.data.Options().experimental_slack = 3


def program_from_structure(tf):
  iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
  first, second = (
    iterator.make_initializer(tf.data.Dataset.range(3)),
    iterator.make_initializer(tf.data.Dataset.range(9, 11), "two"),
  )
  element = iterator.get_next()
  with tf.Session() as session:
    session.run(first)
    result = [session.run(element), session.run(element)]
    session.run(second)
    return result + [session.run(element)]


def program_from_structure_wrong_type(tf):
  tf.data.Iterator.from_structure(tf.int32).make_initializer(tf.data.Dataset.from_tensors(1.0))


def program_string_handles(tf):
  handle = tf.placeholder(tf.string, [])
  one, two = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
  element = tf.data.Iterator.from_string_handle(handle, one.output_types, one.output_shapes).get_next()
  first, second = one.make_one_shot_iterator(), two.make_initializable_iterator()
  with tf.Session() as session:
    names = session.run([first.string_handle(), second.string_handle("named")])
    session.run(second.initializer)
    return [session.run(element, {handle: names[i]}) for i in (0, 1, 0, 1)]


def program_initializer_missing(tf):
  return tf.data.Dataset.range(3).make_one_shot_iterator().initializer


def program_from_generator(tf):
  def numbers(n):
    for i in range(n):
      yield i, [float(i)] * i, "text " + str(i)

  dataset = tf.data.Dataset.from_generator(numbers, (tf.int32, tf.float32, tf.string), ([], [None], []), args=(3,))
  return _all(tf, dataset) + _all(tf, dataset.repeat(2).map(lambda a, b, c: a))


program_from_generator.values_only = True  # the tokens of functions count in the process


def program_from_generator_of_arrays(tf):
  """Arrays and numbers of numpy are converted, as those of Python are."""

  def rows():
    yield np.random.RandomState(1).rand(3), np.int64(7), np.uint8([1, 2])
    yield np.float64([1.5, -2.5, 3.5]), np.float64(3.7), [True, False]

  return _all(tf, tf.data.Dataset.from_generator(rows, (tf.float32, tf.int32, tf.float32), ([3], [], [2])))


program_from_generator_of_arrays.values_only = True


def program_generator_not_callable(tf):
  tf.data.Dataset.from_generator([1, 2], tf.int32)


def program_devices(tf):
  with tf.device("/job:w/task:1/gpu:0"):
    dataset = tf.data.Dataset.range(3).prefetch(1)
    dataset.make_initializable_iterator().get_next()
