"""Tables: static, of vocabularies, mutable, from files and tensors; what does not fit."""

import os
import tempfile

import numpy as np


def _lookup(tf):
  """What has the names that are not public."""
  if tf.__name__.startswith("millrace"):
    from millrace.ops.lookup import lookup_ops
  else:
    from tensorflow.python.ops import lookup_ops
  return lookup_ops


def _file(name, text):
  folder = os.path.join(tempfile.gettempdir(), "millrace_pairs")
  os.makedirs(folder, exist_ok=True)
  path = os.path.join(folder, name)
  with open(path, "w") as file:
    file.write(text)
  return path


def _run(tf, *fetches):
  with tf.Session() as session:
    session.run(tf.tables_initializer())
    return [session.run(fetch) for fetch in fetches]


def program_static(tf):
  init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2], value_dtype=tf.int64)
  table = tf.lookup.StaticHashTable(init, -1)
  found, size = table.lookup(tf.constant(["a", "c", "b"])), table.size()
  keys, values = table.export()
  order = tf.nn.top_k(values, 2).indices
  return _run(tf, found, size, tf.gather(keys, order), table.default_value) + [table.name, table.key_dtype.name]


def program_static_named(tf):
  with tf.name_scope("outer"):
    init = tf.lookup.KeyValueTensorInitializer([1, 2], [0.5, 1.5], tf.int64, tf.float32, name="fill")
    table = tf.lookup.StaticHashTable(init, 9.0, name="numbers")
    found = table.lookup(tf.constant([[1, 3]], tf.int64), name="find")
  return _run(tf, found, table.size(name="count"))


def program_sparse_keys(tf):
  table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], ["A"]), "?")
  found = table.lookup(tf.SparseTensor([[0, 1], [1, 0]], ["a", "z"], [2, 2]))
  return _run(tf, found.values, found.indices)


def program_not_initialized(tf):
  table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
  with tf.Session() as session:
    session.run(table.lookup(tf.constant(["a"])))


def program_wrong_keys(tf):
  tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1).lookup(tf.constant([1]))


def program_text_file(tf):
  path = _file("words.txt", "zero\none\ntwo\n")
  index = tf.lookup.TextFileIndex
  init = tf.lookup.TextFileInitializer(path, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
  back = tf.lookup.TextFileInitializer(path, tf.int64, index.LINE_NUMBER, tf.string, index.WHOLE_LINE, vocab_size=2, name="back")
  table, reverse = tf.lookup.StaticHashTable(init, -1), tf.lookup.StaticHashTable(back, "none")
  return _run(tf, table.lookup(tf.constant(["two", "x"])), reverse.lookup(tf.constant([1, 2], tf.int64)))


def program_text_file_columns(tf):
  path = _file("columns.txt", "a 5 x\nb 6 y\n")
  init = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" ", name="columns")
  return _run(tf, tf.lookup.StaticHashTable(init, -1).lookup(tf.constant(["b", "a", "c"])))


def program_text_file_wrong_type(tf):
  tf.lookup.TextFileInitializer("f", tf.string, tf.lookup.TextFileIndex.LINE_NUMBER, tf.int64, 1)


def program_text_file_wrong_column(tf):
  tf.lookup.TextFileInitializer("f", tf.string, -5, tf.int64, 1)


def program_vocabulary(tf):
  init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1], value_dtype=tf.int64)
  table = tf.lookup.StaticVocabularyTable(init, 3)
  return _run(tf, table.lookup(tf.constant(["a", "c", "d", "b"])), table.size())


def program_vocabulary_numbers(tf):
  init = tf.lookup.KeyValueTensorInitializer(np.array([5, 6], np.int64), [0, 1], value_dtype=tf.int64)
  table = tf.lookup.StaticVocabularyTable(init, 4, lookup_key_dtype=tf.int32, name="numbers")
  return _run(tf, table.lookup(tf.constant([5, 9, 6])), table.size())


def program_vocabulary_alone(tf):
  table = tf.lookup.StaticVocabularyTable(None, 5)
  return _run(tf, table.lookup(tf.constant(["a", "b"])), table.size()) + [table.name]


def program_vocabulary_without_buckets(tf):
  init = tf.lookup.KeyValueTensorInitializer(["a"], [0], value_dtype=tf.int64)
  tf.lookup.StaticVocabularyTable(init, 0)


def program_dense(tf):
  table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, default_value=-1.0, empty_key=0, deleted_key=-1)
  keys = tf.constant([1, 2, 3], tf.int64)
  insert, remove = table.insert(keys, [0.5, 1.5, 2.5]), table.remove(tf.constant([2], tf.int64))
  again, erase = table.insert_or_assign([1], [9.0]), table.erase(tf.constant([3], tf.int64))
  found, size = table.lookup(keys), table.size()
  with tf.Session() as session:
    result = []
    for op in (insert, remove, again, erase):
      session.run(op)
      result += [session.run(found), session.run(size)]
    return result


def program_dense_vectors(tf):
  table = tf.lookup.experimental.DenseHashTable(
    tf.string, tf.int64, [0, 0], "", "$", initial_num_buckets=4, name="vectors", checkpoint=False
  )
  insert, found = table.insert(["a"], [[1, 2]], name="put"), table.lookup(tf.constant(["a", "b"]), name="get")
  exported = table.export(name="all")
  with tf.Session() as session:
    session.run(insert)
    return [session.run(found), len(session.run(exported)[0])]


def program_mutable(tf):
  table = _lookup(tf).MutableHashTable(tf.string, tf.int64, -1)
  insert, found = table.insert(["a", "b"], [1, 2]), table.lookup(tf.constant(["a", "z"]))
  remove, size = table.remove(tf.constant(["a"])), table.size()
  with tf.Session() as session:
    session.run(insert)
    result = [session.run(found), session.run(size)]
    session.run(remove)
    return result + [session.run(found), session.run(size)]


def program_index_from_tensor(tf):
  make = _lookup(tf).index_table_from_tensor
  plain, buckets = make(["x", "y"], default_value=7), make(["x", "y"], num_oov_buckets=3, name="open")
  numbers = make([10, 20], dtype=tf.int32, num_oov_buckets=2, name="numbers")
  words = tf.constant(["y", "q"])
  return _run(tf, plain.lookup(words), buckets.lookup(words), numbers.lookup(tf.constant([20, 30])), buckets.size())


def program_index_from_file(tf):
  lookup = _lookup(tf)
  path = _file("index.txt", "x\ny\nz\n")
  plain = lookup.index_table_from_file(path, vocab_size=2)
  strong = lookup.index_table_from_file(path, num_oov_buckets=4, hasher_spec=lookup.StrongHashSpec([1, 2]), name="strong")
  back = lookup.index_to_string_table_from_file(path, default_value="none")
  other = lookup.index_to_string_table_from_tensor(["p", "q"], "none", name="other")
  words, ids = tf.constant(["z", "y", "w"]), tf.constant([0, 5], tf.int64)
  return _run(tf, plain.lookup(words), strong.lookup(words), back.lookup(ids), other.lookup(ids))


def program_index_from_nothing(tf):
  _lookup(tf).index_table_from_file("")


def program_index_wrong_type(tf):
  _lookup(tf).index_table_from_tensor(["a"], dtype=tf.int64)


def program_strong_hash_wrong_key(tf):
  _lookup(tf).StrongHashSpec([1])


def program_no_tables(tf):
  with tf.Session() as session:
    return [session.run(tf.tables_initializer(name="none")), tf.initialize_all_tables().name]
