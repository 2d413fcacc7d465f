"""The places of iterators by the stock client: from one task to another, in checkpoints, and after the death of a task."""

import pytest

pytest.importorskip("tensorflow")

import numpy as np  # noqa: E402
import task_servers  # noqa: E402
import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from data_elements import drain  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
Dataset = tf1.data.Dataset

# Functions without state, since stock saves no others.
PIPELINES = {
  "shuffle": lambda: Dataset.range(20).shuffle(6, seed=3).repeat(2),
  "batch": lambda: Dataset.range(20).map(lambda x: x * 3).batch(3).prefetch(2),
  "parallel_map": lambda: Dataset.range(20).map(lambda x: x * x, num_parallel_calls=4).shuffle(4, seed=1),
  "interleave": lambda: Dataset.range(5).interleave(lambda x: Dataset.range(x, x + 4), cycle_length=3, num_parallel_calls=2),
  "zip": lambda: Dataset.zip((Dataset.range(9).cache(), Dataset.range(9).map(lambda x: tf.strings.as_string(x)))),
  "windows": lambda: Dataset.range(20).group_by_window(lambda x: x % 3, lambda _, d: d.batch(2), 4),
}


def on(job, task=0):
  return tf1.device(f"/job:{job}/task:{task}/cpu:0")


def elements(session, following):
  """All that follow, without the end, which names the node."""
  found = drain(session, following)
  assert found[-1][0] == "OutOfRangeError"
  return list(found[:-1])


def begun(make, where, name):
  """An iterator on a task, by its initializer, next element and handle."""
  with on(*where):
    iterator = tf1.data.make_initializable_iterator(make(), shared_name=name)
    return iterator.initializer, iterator.get_next(), iterator._iterator_resource  # pylint: disable=protected-access


@pytest.mark.parametrize("name", PIPELINES)
def test_from_one_task_to_another(on_both, name):
  """The state goes by the wire; both iterators give the same elements from there on."""

  def program(cluster):
    begin, following, handle = begun(PIPELINES[name], ("ps", 0), name)
    begin_other, following_other, other = begun(PIPELINES[name], ("worker", 1), name)
    with on("ps"):
      state = raw.SerializeIterator(resource_handle=handle, external_state_policy=1)
    with on("worker", 1):
      restore = raw.DeserializeIterator(resource_handle=other, serialized=state)
    with tf1.Session(cluster.target("worker")) as session:
      session.run([begin, begin_other])
      for _ in range(4):
        session.run(following)
      session.run(restore)
      rest, restored = elements(session, following), elements(session, following_other)
      assert str(rest) == str(restored)
      return rest

  on_both(program)


def test_the_client_sees_no_state(our_cluster):
  """One that is fed back, as the bytes that a client got of it."""
  with tf1.Graph().as_default():
    begin, following, handle = begun(PIPELINES["shuffle"], ("ps", 0), "fed")
    state = raw.SerializeIterator(resource_handle=handle, external_state_policy=1)
    fed = tf1.placeholder(tf.variant, [None])
    restore = raw.DeserializeIterator(resource_handle=handle, serialized=fed)
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(begin)
      session.run(following)
      kept = session.run(raw.SerializeTensor(tensor=state))
      rest = elements(session, following)
    parsed = raw.ParseTensor(serialized=kept, out_type=tf.variant)
    restore = raw.DeserializeIterator(resource_handle=handle, serialized=tf.reshape(parsed, [1]))
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(begin)
      session.run(restore)
      assert str(elements(session, following)) == str(rest)


def checkpointed(make, where):
  """The graph of a program that saves and restores an iterator on a task."""
  with on(*where):
    iterator = tf1.data.make_initializable_iterator(make())
    saveable = tf1.data.experimental.make_saveable_from_iterator(iterator)
    return iterator.initializer, iterator.get_next(), tf1.train.Saver([saveable], sharded=True)


@pytest.mark.parametrize("name", PIPELINES)
def test_after_a_death(tmp_path, name):
  """The task that had the iterator is killed; a new one goes on from the checkpoint."""
  with task_servers.Cluster({"ps": 1, "worker": 1}) as cluster:
    with tf1.Graph().as_default():
      begin, following, saver = checkpointed(PIPELINES[name], ("ps", 0))
      with tf1.Session(cluster.target("worker")) as session:
        session.run(begin)
        before = [session.run(following) for _ in range(4)]
        path = saver.save(session, str(tmp_path / "input.ckpt"), global_step=4)
        session.run(following)
      cluster.kill("ps")
      cluster.start("ps")
      with tf1.Session(cluster.target("worker")) as session:
        session.run(begin)
        saver.restore(session, path)
        rest = elements(session, following)
    # Stock, without a cluster, gives the same elements.
    with tf1.Graph().as_default():
      iterator = tf1.data.make_initializable_iterator(PIPELINES[name]())
      with tf1.Session() as session:
        session.run(iterator.initializer)
        assert str(elements(session, iterator.get_next())) == str(before + rest)


def variants():
  """Values that both write in one form: lists and optionals, also in each other."""
  numbers = raw.TensorListFromTensor(tensor=tf.range(3.0), element_shape=np.int32([]))
  words = raw.OptionalFromValue(components=[tf.constant(["a", "b"]), tf.constant(7)])
  nested = raw.OptionalFromValue(components=[numbers])
  return {"numbers": numbers, "words": words, "nested": nested, "none": raw.OptionalNone()}


def saved(target, prefix):
  with tf1.Graph().as_default():
    values = variants()
    save = raw.SaveV2(
      prefix=prefix, tensor_names=list(values), shape_and_slices=[""] * len(values), tensors=[values[k] for k in values]
    )
    with tf1.Session(target) as session:
      session.run(save)


def restored(target, prefix):
  with tf1.Graph().as_default():
    names = ["numbers", "words", "nested", "none"]
    numbers, words, nested, none = raw.RestoreV2(
      prefix=prefix, tensor_names=names, shape_and_slices=[""] * 4, dtypes=[tf.variant] * 4
    )
    inner = raw.OptionalGetValue(optional=nested, output_types=[tf.variant], output_shapes=[[]])[0]
    with tf1.Session(target) as session:
      return session.run(
        [
          raw.TensorListStack(input_handle=numbers, element_shape=np.int32([]), element_dtype=tf.float32),
          raw.OptionalGetValue(optional=words, output_types=[tf.string, tf.int32], output_shapes=[[2], []]),
          raw.TensorListStack(input_handle=inner, element_shape=np.int32([]), element_dtype=tf.float32),
          raw.OptionalHasValue(optional=none),
        ]
      )


@pytest.mark.parametrize("written_by", ["ours", "stock"])
def test_variants_in_checkpoints_go_both_ways(our_cluster, tmp_path, written_by):
  prefix = str(tmp_path / "variants")
  targets = {"ours": our_cluster.target("worker"), "stock": ""}
  saved(targets[written_by], prefix)
  for target in targets.values():
    numbers, (words, seven), inner, has_value = restored(target, prefix)
    np.testing.assert_array_equal(numbers, [0, 1, 2])
    np.testing.assert_array_equal(inner, [0, 1, 2])
    assert list(words) == [b"a", b"b"] and seven == 7 and not has_value


def test_a_checkpoint_of_stock_is_refused(our_cluster, tmp_path):
  """What stock's iterators write, ours do not know: the error says who can read it, and the iterator stays where it was."""
  with tf1.Graph().as_default():
    iterator = tf1.data.make_initializable_iterator(Dataset.range(9))
    saver = tf1.train.Saver([tf1.data.experimental.make_saveable_from_iterator(iterator)])
    following = iterator.get_next()
    with tf1.Session() as session:
      session.run(iterator.initializer)
      path = saver.save(session, str(tmp_path / "stock.ckpt"))
    with tf1.Session(our_cluster.target("worker")) as session:
      session.run(iterator.initializer)
      assert session.run(following) == 0
      error = outcome(lambda: saver.restore(session, path))
      assert error[0] == "InvalidArgumentError", error
      assert session.run(following) == 1
