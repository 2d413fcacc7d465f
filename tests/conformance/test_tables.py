"""Static lookup tables by the stock client: values, codes and first words of ours and of stock are the same."""

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf  # noqa: E402
from compare_clusters import outcome, outcome_of_failure  # noqa: E402
from lookup_tables import exported, session_of, some, static_table  # noqa: E402
from tensorflow.python.ops import lookup_ops  # noqa: E402

tf1 = tf.compat.v1
raw = tf.raw_ops
lookup = tf.lookup

PAIRS = [
  (tf.int32, tf.float64),
  (tf.int32, tf.string),
  (tf.int64, tf.float32),
  (tf.int64, tf.int64),
  (tf.int64, tf.string),
  (tf.string, tf.bool),
  (tf.string, tf.int32),
  (tf.string, tf.string),
]


@pytest.mark.parametrize("key,value", PAIRS, ids=[f"{k.name}-{v.name}" for k, v in PAIRS])
def test_static_tables(on_both, key, value):
  def program(cluster):
    table = static_table(some(key, [1, 2, 3]), some(value, [10, 20, 31]), some(value, [99])[0], key, value)
    fed = tf1.placeholder(key)
    found = table.lookup(fed)
    sparse = table.lookup(tf.SparseTensor([[0, 0], [1, 2]], tf.constant(some(key, [3, 7]), key), [2, 3]))
    with session_of(cluster) as session:
      before = outcome(lambda: session.run(found, {fed: some(key, [1])}))
      empty = session.run(table.size())
      session.run(tf1.tables_initializer())
      session.run(tf1.tables_initializer())
      return {
        "before": before,
        "empty": empty,
        "size": session.run(table.size()),
        "vector": session.run(found, {fed: some(key, [3, 4, 1])}),
        "matrix": session.run(found, {fed: [some(key, [1, 2]), some(key, [0, 5])]}),
        "scalar": session.run(found, {fed: some(key, [2])[0]}),
        "none": session.run(found, {fed: np.zeros([0, 3], key.as_numpy_dtype)}),
        "sparse": list(session.run(sparse)),
        "all": exported(session, table),
      }

  on_both(program)


def test_tables_that_are_filled_twice(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:1"):
      handle = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="twice")
      fill = {
        "first": (["a", "b"], [1, 2]),
        "same": (["a", "b"], [1, 2]),
        "values": (["a", "b"], [3, 4]),
        "longer": (["a", "b", "c"], [1, 2, 3]),
        "conflict": (["a", "a"], [1, 2]),
      }
      fill = {
        name: raw.InitializeTableV2(table_handle=handle, keys=k, values=tf.constant(v, tf.int64)) for name, (k, v) in fill.items()
      }
      insert = raw.LookupTableInsertV2(table_handle=handle, keys=["x"], values=tf.constant([1], tf.int64))
      remove = raw.LookupTableRemoveV2(table_handle=handle, keys=["x"])
      wrong = raw.InitializeTableV2(table_handle=handle, keys=["x"], values=[1.0])
      content = raw.LookupTableExportV2(table_handle=handle, Tkeys=tf.string, Tvalues=tf.int64)
      size = raw.LookupTableSizeV2(table_handle=handle)
    with session_of(cluster) as session:
      seen = {
        "content": outcome_of_failure(cluster, lambda: session.run(content))[:2],
        "size": session.run(size),
        "wrong": outcome(lambda: session.run(wrong)),
        "insert": outcome(lambda: session.run(insert)),
        "remove": outcome(lambda: session.run(remove)),
        "conflict": outcome(lambda: session.run(fill["conflict"])),
      }
    tf1.Session.reset(cluster.target("worker"))
    with session_of(cluster) as session:
      for name in ("first", "same", "values", "longer"):
        seen[name] = outcome(lambda name=name: session.run(fill[name]))
      seen["then"] = session.run(size), sorted(session.run(content)[0].tolist())
    return seen

  on_both(program)


@pytest.mark.parametrize("key", [tf.string, tf.int64], ids=["string", "int64"])
def test_vocabularies_with_buckets_for_the_rest(on_both, key):
  def program(cluster):
    words = some(key, [3, 1, 2])
    table = lookup.StaticVocabularyTable(
      lookup.KeyValueTensorInitializer(tf.constant(words, key), tf.range(3, dtype=tf.int64)), num_oov_buckets=5
    )
    ids = tf1.placeholder(key)
    found = table.lookup(ids)
    with session_of(cluster) as session:
      before = outcome(lambda: session.run(found, {ids: words}))
      session.run(tf1.tables_initializer())
      return {"before": before, "found": session.run(found, {ids: some(key, range(10))}), "size": session.run(table.size())}

  on_both(program)


def test_index_tables(on_both):
  def program(cluster):
    with tf.device("/job:ps/task:0"):
      index = lookup_ops.index_table_from_tensor(["emerson", "lake", "palmer"], num_oov_buckets=2)
      numbers = lookup_ops.index_table_from_tensor(tf.constant([7, 5], tf.int64), default_value=-7, dtype=tf.int64)
      back = lookup_ops.index_to_string_table_from_tensor(["emerson", "lake", "palmer"], default_value="?")
    found = {
      "index": index.lookup(tf.constant([["lake", "and"], ["palmer", "tarkus"]])),
      "numbers": numbers.lookup(tf.constant([5, 6, 7], tf.int64)),
      "back": back.lookup(tf.constant([2, 0, 9], tf.int64)),
    }
    with session_of(cluster) as session:
      session.run(tf1.tables_initializer())
      return session.run(found)

  on_both(program)


def test_tables_from_files(on_both, tmp_path):
  (tmp_path / "words").write_text("emerson\nlake\r\npalmer")
  (tmp_path / "fields").write_text("1\tone\t1.5\n2\ttwo\t-inf\n30\tthirty\t1e3\n")
  (tmp_path / "bad").write_text("1\tone\t1.5\n\n")
  (tmp_path / "few").write_text("1\tone\n2\n")
  (tmp_path / "empty").write_text("")
  whole, line = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER

  def from_file(name, key, key_index, value, value_index, default, **options):
    initializer = lookup.TextFileInitializer(str(tmp_path / name), key, key_index, value, value_index, **options)
    return lookup.StaticHashTable(initializer, default)

  def program(cluster):
    tables = {
      "words": lambda: from_file("words", tf.string, whole, tf.int64, line, -1),
      "two": lambda: from_file("words", tf.string, whole, tf.int64, line, -1, vocab_size=2),
      "four": lambda: from_file("words", tf.string, whole, tf.int64, line, -1, vocab_size=4),
      "offset": lambda: from_file("words", tf.string, whole, tf.int64, line, -1, value_index_offset=7),
      "lines": lambda: from_file("words", tf.int64, line, tf.string, whole, "?"),
      "fields": lambda: from_file("fields", tf.string, 1, tf.float32, 2, 0.25),
      "numbers": lambda: from_file("fields", tf.int32, 0, tf.string, 1, "?"),
      "comma": lambda: from_file("fields", tf.string, 0, tf.string, 1, "?", delimiter=","),
      "no number": lambda: from_file("fields", tf.int64, 1, tf.string, 0, "?"),
      "bad": lambda: from_file("bad", tf.int32, 0, tf.string, 1, "?"),
      "few": lambda: from_file("few", tf.int64, 0, tf.string, 1, "?"),
      "empty": lambda: from_file("empty", tf.string, whole, tf.int64, line, -1),
      "gone": lambda: from_file("gone", tf.string, whole, tf.int64, line, -1),
    }
    seen = {}
    for name, make in tables.items():
      tf1.Session.reset(cluster.target("worker"))  # tables of one file share a name, whatever their types
      with tf1.Graph().as_default():
        with tf.device("/job:ps/task:0"):
          table = make()
        with session_of(cluster) as session:
          filled = outcome(lambda session=session: session.run(tf1.tables_initializer()))
          seen[name] = filled, exported(session, table) if filled is None else session.run(table.size())
    return seen

  on_both(program)


def test_index_tables_from_files(on_both, tmp_path):
  (tmp_path / "words").write_text("emerson\nlake\npalmer\n")

  def program(cluster):
    words = str(tmp_path / "words")
    with tf.device("/job:ps/task:1"):
      index = lookup_ops.index_table_from_file(words, num_oov_buckets=3, vocab_size=3)
      back = lookup_ops.index_to_string_table_from_file(words, default_value="?")
    found = {
      "index": index.lookup(tf.constant(["lake", "and", "palmer", "tarkus"])),
      "back": back.lookup(tf.constant([2, 0, 9], tf.int64)),
    }
    with session_of(cluster) as session:
      session.run(tf1.tables_initializer())
      return session.run(found)

  on_both(program)


def test_types_that_do_not_fit(on_both):
  def program(cluster):
    handle = raw.HashTableV2(key_dtype=tf.int64, value_dtype=tf.string, shared_name="typed")
    other = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="typed")
    size, other_size = raw.LookupTableSizeV2(table_handle=handle), raw.LookupTableSizeV2(table_handle=other)
    find = raw.LookupTableFindV2(table_handle=handle, keys=["a"], default_value="?")
    with session_of(cluster) as session:
      seen = [session.run(size), outcome(lambda: session.run(other_size)), outcome(lambda: session.run(find))]
    with tf1.Graph().as_default(), session_of(cluster) as session:
      none = raw.LookupTableSizeV2(table_handle=raw.HashTableV2(key_dtype=tf.float32, value_dtype=tf.string))
      return seen + [outcome(lambda: session.run(none))[0]]

  on_both(program)
