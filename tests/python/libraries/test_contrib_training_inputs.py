"""tf.contrib.training: buckets, samples, and segments of sequences with states."""

import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from elements_of_queues import numbers, taken

import millrace as tf

training = tf.contrib.training


@pytest.mark.parametrize("smaller", [False, True])
def test_buckets(smaller):
  number = numbers(13)
  which, (number_batch, text_batch) = training.bucket(
    [number, tf.as_string(number)],
    which_bucket=tf.floormod(number, 3),
    batch_size=2,
    num_buckets=3,
    num_threads=2,
    capacity=4,
    bucket_capacities=[3, 4, 5],
    shapes=[[], []],
    allow_smaller_final_batch=smaller,
    keep_input=tf.not_equal(number, 3),
    shared_name="shared",
    name="buckets",
  )
  assert which.shape.as_list() == [] and number_batch.shape.as_list() == [None if smaller else 2]
  found = taken([which, number_batch, text_batch])
  got = []
  for bucket, values, texts in found:
    assert (values % 3 == bucket).all() and texts.tolist() == [b"%d" % v for v in values]
    assert len(values) == 2 or smaller
    got += values.tolist()
  # 0, 6, 9, 12 are one bucket, 1, 4, 7, 10 another, and of 2, 5, 8, 11 none is left.
  assert sorted(got) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]


def test_buckets_of_their_own_sizes_and_maps():
  number = numbers(12)
  which, batch = training.bucket({"n": number}, tf.floormod(number, 2), [1, 3], 2)
  found = taken([which, batch["n"]])
  assert sorted((int(w), len(v)) for w, v in found) == [(0, 1)] * 6 + [(1, 3)] * 2
  for arguments, words in (([1, 2, 3], "must have num_buckets elements"), (2, "must have exactly num_buckets")):
    with pytest.raises(ValueError, match=words):
      training.bucket([number], 0, arguments, 2, bucket_capacities=[1])


def test_buckets_are_padded():
  number = numbers(6)
  values = tf.fill(tf.reshape(number, [1]), number)
  which, (batch,) = training.bucket([values], tf.floormod(number, 2), 3, 2, dynamic_pad=True)
  found = dict(taken([which, batch]))
  assert found[0].tolist() == [[0] * 4, [2, 2, 0, 0], [4] * 4]
  assert found[1].tolist() == [[1, 0, 0, 0, 0], [3, 3, 3, 0, 0], [5] * 5]


def test_sparse_tensors_in_buckets():
  number = numbers(6)
  sparse = tf.SparseTensor(tf.cast(tf.reshape(number, [1, 1]), tf.int64), tf.reshape(number, [1]), [10])
  which, (plain, batch) = training.bucket([number, sparse], tf.floormod(number, 2), 3, 2)
  found = taken([which, plain, tf.sparse_tensor_to_dense(batch)])
  assert len(found) == 2
  for bucket, values, dense in found:
    assert sorted(values.tolist()) == [bucket, bucket + 2, bucket + 4]
    assert dense.sum(1).tolist() == values.tolist()


@pytest.mark.parametrize("padded", [False, True])
def test_buckets_by_length(padded):
  number = numbers(12)
  length = number if padded else tf.constant(4)
  sequence = tf.fill(tf.reshape(length, [1]), number)
  if not padded:
    sequence.set_shape([4])
  lengths, batch = training.bucket_by_sequence_length(
    number,
    {"sequence": sequence, "number": number},
    batch_size=2,
    bucket_boundaries=[4, 8],
    num_threads=2,
    capacity=8,
    bucket_capacities=[8, 8, 8],
    shapes=[[], [None]] if padded else None,
    dynamic_pad=padded,
    allow_smaller_final_batch=True,
    keep_input=tf.not_equal(number, 5),
    shared_name="by_length",
    name="by_length",
  )
  found = taken([lengths, batch])
  assert sorted(n for made, _ in found for n in made.tolist()) == [n for n in range(12) if n != 5]
  for made, values in found:
    assert len({(n >= 4) + (n >= 8) for n in made}) == 1
    assert values["number"].tolist() == made.tolist()
    assert values["sequence"].shape == (len(made), max(made) if padded else 4)
    for n, row in zip(made, values["sequence"]):
      assert row.tolist() == ([n] * n + [0] * (max(made) - n) if padded else [n] * 4)


@pytest.mark.parametrize(
  "boundaries,error,words",
  [
    (3, TypeError, "must be a list or tuple"),
    ([], ValueError, "must not be empty"),
    ([1.5, 2], TypeError, "must be integers"),
    ([4, 4], ValueError, "must contain sequential increasing lengths"),
  ],
)
def test_boundaries(boundaries, error, words):
  with pytest.raises(error, match=words):
    training.bucket_by_sequence_length(tf.constant(1), [tf.constant(1)], 2, boundaries)


@pytest.mark.parametrize("many", [False, True])
def test_rejection(many):
  number = numbers(400)
  given = [tf.stack([number, number]), tf.stack([number * 2, number * 2])] if many else [number, number * 2]
  batch = training.rejection_sample(
    given,
    lambda tensors: tf.where(tf.equal(tf.floormod(tensors[0], 2), 0), tf.constant(1.0), tf.constant(0.0)),
    batch_size=4,
    queue_threads=2,
    enqueue_many=many,
    prebatch_capacity=8,
    prebatch_threads=2,
    runtime_checks=True,
    name="rejection",
  )
  assert [b.shape.as_list() for b in batch] == [[4], [4]]
  found = taken(batch)
  values = np.concatenate([one for one, _ in found])
  assert (values % 2 == 0).all() and len(values) == (400 if many else 200)
  assert all((two == 2 * one).all() for one, two in found)


def test_rejection_checks_probabilities():
  training.rejection_sample([numbers(10)], lambda tensors: tf.placeholder_with_default(1.5, []), 2, runtime_checks=True)
  with pytest.raises(tf.errors.InvalidArgumentError, match="must return a probability"):
    _runs_with_errors()
  with pytest.raises(ValueError):
    training.rejection_sample([numbers(10)], lambda tensors: tf.constant([0.5]), 2)


def _runs_with_errors():
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
    coordinator.join(threads)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_strata(known, many):
  number = numbers(3000)
  label = tf.cast(tf.floormod(number, 4) > 0, tf.int32)  # a quarter is of class 0
  given = [tf.reshape(number, [1]), tf.reshape(label, [1])] if many else [number, label]
  (values,), labels = training.stratified_sample(
    [given[0]],
    given[1],
    target_probs=[0.5, 0.5],
    batch_size=10,
    init_probs=[0.25, 0.75] if known else None,
    enqueue_many=many,
    queue_capacity=20,
    threads_per_queue=2,
    name="strata",
  )
  assert values.shape.as_list() == [10]
  found = taken([values, labels])
  values, labels = (np.concatenate([pair[i] for pair in found]) for i in (0, 1))
  assert ((values % 4 > 0) == labels).all()
  assert 0.4 < labels.mean() < 0.6 and 1200 < len(values) < 1800


@pytest.mark.parametrize(
  "target,init,label,words",
  [
    ([0.5, 0.6], None, 0, "must sum to one"),
    ([0.5, 0.5], [0.5, 0.6], 0, "must sum to one"),
    ([0.5, 0.5], [0.0, 1.0], 0, "nonzero target probability"),
    ([0.5, 0.5], [0.5, 0.5], [0, 1], "rank 0"),
  ],
)
def test_strata_are_checked(target, init, label, words):
  with pytest.raises(ValueError, match=words):
    training.stratified_sample([tf.constant(1)], tf.constant(label), target, 2, init_probs=init)


def test_resampling_at_rates():
  inputs = [tf.constant([10.0, 20.0, 30.0]), tf.constant([[1], [2], [3]])]
  made = training.resample_at_rate(inputs, tf.constant([0.0, 1.0, 4.0]), scope="at_rate", seed=3)
  back = training.resample_at_rate(inputs[:1], [0.0, 5.0, 5.0], back_prop=True)[0]
  gradients = [tf.gradients(tf.reduce_sum(out), inputs[0])[0] for out in (made[0], back)]
  assert gradients[0] is None
  none = training.resample_at_rate([tf.zeros([0])], tf.zeros([0]))[0]
  with tf.Session() as session:
    counts = np.zeros(3)
    for _ in range(300):
      values, rows = session.run(made)
      assert (values == 10.0 * rows[:, 0]).all() and sorted(values) == list(values)
      counts += np.bincount(rows[:, 0] - 1, minlength=3)
    np.testing.assert_allclose(counts / 300, [0.0, 1.0, 4.0], atol=0.4)
    made, gradient = session.run([back, tf.convert_to_tensor(gradients[1])])
    assert gradient.tolist() == [(made == v).sum() for v in (10.0, 20.0, 30.0)]
    assert session.run(none).shape == (0,)


def test_resampling_by_weights():
  fed = tf.placeholder(tf.float32, [None])
  weights = tf.placeholder(tf.float32, [None])
  (values,), rates = training.weighted_resample([fed], weights, overall_rate=0.5, scope="weights", mean_decay=0.5, seed=5)
  assert sorted(v.op.name for v in tf.local_variables()) == ["weights/estimated_mean", "weights/resample_count"]
  with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    mean = 0.0
    feed = {fed: np.arange(200.0), weights: np.repeat([1.0, 3.0], 100)}
    for n in range(1, 4):
      decay = min((n - 1) / n, 0.5)
      feed[weights] = feed[weights] * n
      mean = decay * mean + (1 - decay) * feed[weights].mean()
      made, rate = session.run([values, rates], feed)
      np.testing.assert_allclose(rate, (feed[weights] * 0.5 / mean)[made.astype(int)], rtol=1e-5)
      expected = feed[weights][0] * 0.5 / mean * 100
      assert abs((made < 100).sum() - expected) < 5 * np.sqrt(expected)


def test_elements_of_generators():
  def generator():
    for i in range(3):
      yield {"value": i, "sequence": [[i, i]] * i} if i != 1 else {"value": i}

  features = {
    "value": tf.FixedLenFeature(shape=[], dtype=tf.int32),
    "sequence": tf.FixedLenSequenceFeature(shape=[2], dtype=tf.float32, allow_missing=True),
    "default": tf.FixedLenFeature(shape=[2], dtype=tf.float32, default_value=[7.0, 8.0]),
  }
  made = training.python_input(generator, features, name="python")
  assert made["sequence"].shape.as_list() == [None, 2] and made["value"].dtype == tf.int32
  found = taken(made)
  assert [f["value"] for f in found] == [0, 1, 2] and found[2]["sequence"].tolist() == [[2, 2], [2, 2]]
  assert found[1]["sequence"].shape == (0, 2) and found[0]["default"].tolist() == [7.0, 8.0]
  sequence = tf.FixedLenSequenceFeature
  for error, arguments in (
    (TypeError, (3, features)),
    (TypeError, (generator, [1])),
    (TypeError, (generator, {"x": 3})),
    (NotImplementedError, (generator, {"x": tf.VarLenFeature(tf.int64)})),
    (ValueError, (generator, {"x": sequence([], tf.int64)})),
    (ValueError, (generator, {"x": sequence([], tf.int64, allow_missing=True, default_value=3)})),
  ):
    with pytest.raises(error):
      training.python_input(*arguments)
