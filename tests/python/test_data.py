"""What tensorflow.compat.v1 2.21 does not have of data sets, queues and tables, or has otherwise than 1.15."""

import sys

import pair_runner
import pytest

sys.path.insert(0, pair_runner.package_folder())

import millrace as tf


def _all(dataset):
  iterator = dataset.make_initializable_iterator()
  element = iterator.get_next()
  found = []
  with tf.Session() as session:
    session.run(iterator.initializer)
    try:
      while True:
        found.append(session.run(element))
    except tf.errors.OutOfRangeError:
      return found


@pytest.fixture(autouse=True)
def graph():
  with tf.Graph().as_default():
    yield


def test_data_sets_print_as_in_1_15():
  dataset = tf.data.Dataset.from_tensor_slices(([1, 2], {"a": [1.0, 2.0]})).batch(2)
  assert repr(dataset) == "<DatasetV1Adapter shapes: ((?,), {a: (?,)}), types: (tf.int32, {a: tf.float32})>"


def test_optionals_without_value():
  none = tf.data.experimental.Optional.none_from_structure(tf.TensorSpec([], tf.int32))
  assert none.value_structure == tf.TensorSpec([], tf.int32)
  with tf.Session() as session:
    assert not session.run(none.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError):
      session.run(none.get_value())


def test_structures():
  e = tf.data.experimental
  assert e.TensorStructure(tf.int32, [2]) == tf.TensorSpec([2], tf.int32)
  assert e.SparseTensorStructure(tf.int32, [2]) == tf.SparseTensorSpec([2], tf.int32)
  structure = e.DatasetStructure(tf.TensorSpec([], tf.int64))
  assert structure.is_compatible_with(tf.data.Dataset.range(3))
  assert e.OptionalStructure(tf.TensorSpec([], tf.int32)).value_type is e.Optional


def test_legacy_functions():
  dataset = tf.data.Dataset.range(5).map_with_legacy_function(lambda x: x + 1)
  assert _all(dataset.filter_with_legacy_function(lambda x: x > 3)) == [4, 5]


def test_statistics_leave_elements_alone():
  e = tf.data.experimental
  assert _all(tf.data.Dataset.range(3).apply(e.latency_stats("time")).apply(e.bytes_produced_stats("bytes"))) == [0, 1, 2]


def test_lists_returned_by_functions_are_tuples():
  assert _all(tf.data.Dataset.range(1).map(lambda x: [x, x + 1])) == [(0, 1)]


def test_numbers_of_parallel_calls_are_int32_as_in_1_15():
  dataset = tf.data.Dataset.range(4)
  for calls in (tf.constant(2, tf.int32), tf.constant(2, tf.int64), 2):
    assert _all(dataset.map(lambda x: x + 1, num_parallel_calls=calls)) == [1, 2, 3, 4]
  with pytest.raises(ValueError, match="int64 for Tensor with dtype float32"):
    dataset.map(lambda x: x + 1, num_parallel_calls=tf.constant(2.0))


def test_effects_of_functions_come_in_order():
  counter = tf.get_variable("counter", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)

  def count(x):
    tf.assign_add(counter, x)
    return counter.read_value()

  iterator = tf.data.Dataset.range(1, 4).map(count).make_initializable_iterator()
  element = iterator.get_next()
  with tf.Session() as session:
    session.run([counter.initializer, iterator.initializer])
    assert [session.run(element) for _ in range(3)] == [1, 3, 6]


def test_classes_of_programs():
  class Doubled(tf.data.Dataset):
    def __init__(self, source):
      self._source = source.map(lambda x: x * 2)
      super().__init__()

    def _as_variant_tensor(self):
      return self._source._variant_tensor

    def _inputs(self):
      return [self._source]

    @property
    def element_spec(self):
      return self._source.element_spec

  assert _all(Doubled(tf.data.Dataset.range(3)).batch(3))[0].tolist() == [0, 2, 4]


def test_options_are_merged():
  one, two = tf.data.Options(), tf.data.Options()
  one.experimental_threading.private_threadpool_size = 2
  two.experimental_deterministic = True
  merged = one.merge(two)
  assert merged.experimental_threading.private_threadpool_size == 2 and merged.experimental_deterministic
  with pytest.raises(AttributeError):
    one.nonsense = 1
