"""Tables of several sessions by the stock client: names, containers, resets, checkpoints."""

import threading

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from lookup_tables import session_of, static_table  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
lookup = tf.lookup


def test_a_table_on_ps_of_two_sessions(on_both):
  """A worker fills a table that the other one reads; a private table is its session's own."""

  def program(cluster):
    def build(worker):
      with tf.device("/job:ps/task:0"):
        shared = lookup.experimental.MutableHashTable(tf.int64, tf.string, "?", name="shared_words")
        named = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float32, shared_name="numbers")
        private = lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1, name="private")
      with tf.device(f"/job:worker/task:{worker}"):
        ids = tf.constant([1, 2, 3], tf.int64)
        return {
          "put": [
            raw.LookupTableInsertV2(table_handle=named, keys=ids, values=[0.5, 1.5, 2.5]),
            private.insert(ids, ids),
            shared.insert(ids, ["a", "b", "c"]),
          ],
          "named": raw.LookupTableFindV2(table_handle=named, keys=ids, default_value=-1.0) * 2,
          "private": private.lookup(ids) + 0,
          "words": tf.strings.join([shared.lookup(ids), "!"]),
        }

    with tf1.Graph().as_default():
      first = build(0)
      one = tf1.Session(cluster.target("worker", 0))
      one.run(first["put"])
    with tf1.Graph().as_default():
      second = build(1)
      two = tf1.Session(cluster.target("worker", 1))
      seen = {name: two.run(second[name]) for name in ("named", "private")}
    seen["first"] = {name: one.run(first[name]) for name in ("named", "private", "words")}
    one.close()
    seen["after"] = two.run(second["named"])
    two.close()
    return seen

  on_both(program)


def test_a_reset_clears_tables(on_both):
  def program(cluster):
    table = static_table(["a"], tf.constant([1], tf.int64), -1)
    handle = raw.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, shared_name="kept", container="box")
    one = tf.constant([1], tf.int64)
    put = raw.LookupTableInsertV2(table_handle=handle, keys=one, values=one)
    size = raw.LookupTableSizeV2(table_handle=handle)
    found = table.lookup(tf.constant(["a", "b"]))
    seen = {}
    for containers in (None, ["box"], ["other"]):
      with session_of(cluster) as session:
        session.run([tf1.tables_initializer(), put])
        seen[str(containers)] = [session.run([size, found])]
      tf1.Session.reset(cluster.target("worker"), containers)
      with session_of(cluster) as session:
        seen[str(containers)] += [session.run(size), outcome(lambda session=session: session.run(found))]
    return seen

  on_both(program)


def test_words_to_an_embedding(on_both, era):
  """A table on one ps gives rows of a variable on the others, which are trained."""

  def program(cluster):
    with tf1.device(
      tf1.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster.spec()), worker_device="/job:worker/task:1")
    ):
      rows = tf1.get_variable("rows", initializer=tf.reshape(tf.range(12, dtype=tf.float32) / 12, [6, 2]))
      with tf.device("/job:ps/task:1"):
        table = lookup.StaticVocabularyTable(
          lookup.KeyValueTensorInitializer(["red", "green", "blue"], tf.range(3, dtype=tf.int64)), 3
        )
      words = tf1.placeholder(tf.string, [None])
      loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(rows, table.lookup(words)) - 1.0))
      train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with session_of(cluster) as session:
      session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
      losses = [session.run([loss, train], {words: ["blue", "red", "black", "blue"]})[0] for _ in range(5)]
      return {"losses": losses, "rows": session.run(rows)}

  on_both(program)


def saved_tables():
  """Tables that savers take along, one of each kind, with what fills, saves and shows them."""
  with tf.device("/job:ps/task:0"):
    plain = lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="plain")
    dense = lookup.experimental.DenseHashTable(
      tf.int64, tf.float32, default_value=-1.0, empty_key=0, deleted_key=-1, name="dense", initial_num_buckets=8
    )
    vectors = lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0], name="vectors")
    weight = tf1.get_variable("weight", initializer=2.0)
  ids = tf.range(1, 21, dtype=tf.int64)
  fill = [
    plain.insert(tf.as_string(ids), ids * 10),
    dense.insert(ids, tf.cast(ids, tf.float32) / 2),
    vectors.insert(ids[:3], tf.ones([3, 2])),
    weight.initializer,
  ]
  show = {
    "plain": plain.lookup(tf.constant(["1", "20", "21"])),
    "dense": dense.lookup(tf.range(19, 23, dtype=tf.int64)),
    "buckets": dense.export(),
    "vectors": vectors.lookup(tf.range(2, 5, dtype=tf.int64)),
    "weight": weight,
    "sizes": [plain.size(), dense.size(), vectors.size()],
  }
  return fill, show


def save(cluster, path):
  with tf1.Graph().as_default(), session_of(cluster) as session:
    fill, _ = saved_tables()
    session.run(fill)
    return tf1.train.Saver().save(session, str(path))


def restore(cluster, path):
  tf1.Session.reset(cluster.target("worker"))
  with tf1.Graph().as_default(), session_of(cluster) as session:
    _, show = saved_tables()
    tf1.train.Saver().restore(session, str(path))
    return session.run(show)


def test_tables_in_checkpoints(our_cluster, stock_cluster, tmp_path):
  """What either saved, either restores."""
  results = []
  for saver in (our_cluster, stock_cluster):
    tf1.Session.reset(saver.target("worker"))
    path = save(saver, tmp_path / saver.kind / "model")
    results += [restore(cluster, path) for cluster in (our_cluster, stock_cluster)]
  assert results[0]["sizes"] == [20, 20, 3]
  for other in results[1:]:
    for name, value in results[0].items():
      for mine, theirs in zip(np.atleast_1d(value), np.atleast_1d(other[name])):
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


def test_many_sessions_fill_and_read_one_table(our_cluster):
  """No insertion is lost, and no lookup sees half a value."""
  tf1.Session.reset(our_cluster.target("worker"))
  failed = []

  def work(index):
    try:
      with tf1.Graph().as_default(), tf1.Session(our_cluster.target("worker", index % 2)) as session:
        with tf.device("/job:ps/task:0"):
          handle = raw.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.int64, value_shape=[2], shared_name="busy")
          ids = tf1.placeholder(tf.int64, [None])
          put = raw.LookupTableInsertV2(table_handle=handle, keys=ids, values=tf.stack([ids, ids * 2], axis=1))
          find = raw.LookupTableFindV2(
            table_handle=handle, keys=tf.range(400, dtype=tf.int64), default_value=tf.zeros([2], tf.int64)
          )
        for i in range(25):
          session.run(put, {ids: np.arange(100) + 100 * index if i == 24 else [100 * index + 4 * i + k for k in range(4)]})
          pairs = session.run(find)
          assert (pairs[:, 1] == 2 * pairs[:, 0]).all()
    except Exception as e:  # pylint: disable=broad-except
      failed.append(e)

  threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join(120)
    assert not thread.is_alive()
  assert not failed, failed
  with tf1.Graph().as_default(), tf1.Session(our_cluster.target("worker")) as session:
    with tf.device("/job:ps/task:0"):
      handle = raw.MutableHashTableOfTensorsV2(key_dtype=tf.int64, value_dtype=tf.int64, value_shape=[2], shared_name="busy")
    assert session.run(raw.LookupTableSizeV2(table_handle=handle)) == 400
