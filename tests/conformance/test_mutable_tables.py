"""Tables that grow, by the stock client: values, order, codes and first words of ours and of stock are the same."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome  # noqa: E402
from lookup_tables import exported, session_of, some  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
lookup = tf.lookup


@pytest.mark.parametrize("vectors", [False, True], ids=["scalars", "vectors"])
def test_mutable_tables(on_both, vectors):
  def program(cluster):
    default = [-1.0, -2.0] if vectors else -1.0
    with tf.device("/job:ps/task:0"):
      table = lookup.experimental.MutableHashTable(tf.string, tf.float32, default)
    keys, values = tf1.placeholder(tf.string), tf1.placeholder(tf.float32)
    insert, remove, find = table.insert(keys, values), None, table.lookup(keys)
    key_vector = tf1.placeholder(tf.string, [None])
    remove, each = table.remove(key_vector), table.lookup(keys, values)

    def row(*numbers):
      return [[n, n + 0.5] for n in numbers] if vectors else list(numbers)

    with session_of(cluster) as session:
      seen = [session.run(table.size())]
      session.run(insert, {keys: ["a", "b", "c"], values: row(1, 2, 3)})
      session.run(insert, {keys: [["b", "d"]], values: [row(20, 40)]})
      seen += [session.run(find, {keys: [["a", "b"], ["x", "d"]]}), exported(session, table), session.run(table.size())]
      seen += [session.run(each, {keys: ["a", "x", "y"], values: row(7, 8, 9)})]
      session.run(remove, {key_vector: ["a", "nobody", "d"]})
      seen += [exported(session, table), session.run(table.size()), session.run(find, {keys: ["a", "b"]})]
      seen += [
        outcome(lambda: session.run(insert, {keys: ["a", "b"], values: row(1)})),
        outcome(lambda: session.run(each, {keys: ["a", "b", "c"], values: row(1, 2)})),
      ]
      return seen

  on_both(program)


def test_dense_tables_have_stocks_buckets(on_both):
  def program(cluster):
    seen = {}
    for key in (tf.int32, tf.int64, tf.string):
      with tf1.Graph().as_default(), session_of(cluster) as session:
        empty, deleted = (b"", b"gone") if key == tf.string else (0, -1)
        with tf.device("/job:ps/task:1"):
          table = lookup.experimental.DenseHashTable(
            key,
            tf.int64 if key != tf.int32 else tf.int32,
            default_value=-5,
            empty_key=empty,
            deleted_key=deleted,
            initial_num_buckets=4,
            name=f"dense_{key.name}",
          )
        keys = tf1.placeholder(key, [None])
        values = tf.cast(tf.range(tf.size(keys)), table.value_dtype)
        insert, remove, find = table.insert(keys, values), table.remove(keys), table.lookup(keys)
        parts = seen[key.name] = []
        for numbers in ([3, 7, 11], [5, 7, 9, 13], range(100, 140)):
          session.run(insert, {keys: some(key, numbers)})
          parts.append(session.run(table.export()))
        session.run(remove, {keys: some(key, [7, 120, 121, 999])})
        parts += [session.run(table.export()), session.run(table.size())]
        session.run(insert, {keys: some(key, [555, 120])})
        parts += [session.run(table.export()), session.run(table.size()), session.run(find, {keys: some(key, range(1, 15))})]
        for op in (insert, remove, find):
          parts += [
            outcome(lambda op=op: session.run(op, {keys: [empty]})),
            outcome(lambda op=op: session.run(op, {keys: [deleted]})),
          ]
    return seen

  on_both(program)


def test_dense_tables_of_vectors(on_both):
  def program(cluster):
    table = lookup.experimental.DenseHashTable(
      tf.int64, tf.float32, default_value=[-1.0, -2.0, -3.0], empty_key=[0, 0], deleted_key=[-1, -1], initial_num_buckets=8
    )
    keys = tf1.placeholder(tf.int64)
    values = tf1.placeholder(tf.float32)
    insert, find = table.insert(keys, values), table.lookup(keys)
    with session_of(cluster) as session:
      rows = np.arange(30, dtype=np.float32).reshape(10, 3)
      session.run(insert, {keys: [[i, i * i] for i in range(1, 11)], values: rows})
      return {
        "all": session.run(table.export()),
        "size": session.run(table.size()),
        "found": session.run(find, {keys: [[3, 9], [9, 3], [10, 100]]}),
        "reserved": outcome(lambda: session.run(find, {keys: [[0, 0]]})),
        "narrow": outcome(lambda: session.run(find, {keys: [[1], [2]]})),
        "single": outcome(lambda: session.run(find, {keys: [3, 9]})),
        "values": outcome(lambda: session.run(insert, {keys: [[1, 1]], values: [[1, 2]]})),
      }

  on_both(program)


def test_options_of_dense_tables(on_both):
  def program(cluster):
    def size(**options):
      settings = dict(key_dtype=tf.int64, value_dtype=tf.int64, default_value=0, empty_key=0, deleted_key=-1)
      settings.update(options)
      with tf1.Graph().as_default(), session_of(cluster) as session:
        table = lookup.experimental.DenseHashTable(**settings)
        return session.run(table.size())

    return {
      name: outcome(lambda options=options: size(**options))
      for name, options in {
        "fine": {},
        "three": {"initial_num_buckets": 3},
        "two": {"initial_num_buckets": 2},
        "equal": {"deleted_key": 0},
      }.items()
    }

  on_both(program)


def test_anonymous_tables_live_for_a_step(on_both):
  def program(cluster):
    def chain(handle, key):
      keys = tf.constant([1, 2, 3], tf.int64)
      put = raw.LookupTableInsertV2(table_handle=handle, keys=keys, values=keys * 10)
      with tf.control_dependencies([put]):
        return [
          raw.LookupTableSizeV2(table_handle=handle),
          raw.LookupTableFindV2(table_handle=handle, keys=key, default_value=tf.constant(-1, tf.int64)),
        ]

    types = dict(key_dtype=tf.int64, value_dtype=tf.int64)
    key = tf.constant([3, 4], tf.int64)
    plain = chain(raw.AnonymousMutableHashTable(**types), key)
    dense = chain(
      raw.AnonymousMutableDenseHashTable(
        empty_key=tf.constant(0, tf.int64), deleted_key=tf.constant(-1, tf.int64), value_dtype=tf.int64
      ),
      key,
    )
    static = raw.AnonymousHashTable(**types)
    with tf.control_dependencies([raw.InitializeTableV2(table_handle=static, keys=key, values=key)]):
      found = raw.LookupTableFindV2(table_handle=static, keys=key + 1, default_value=tf.constant(-1, tf.int64))
    with session_of(cluster) as session:
      return [session.run({"plain": plain, "dense": dense, "static": found}) for _ in range(2)]

  on_both(program)
