"""tf.contrib.data, tf.contrib.lookup and tf.contrib.summary, as far as TensorFlow 2.15 has nothing to compare with."""

import glob
import os
import sqlite3

import numpy as np
import pytest

import millrace as tf

data = tf.contrib.data
lookup = tf.contrib.lookup


def elements(dataset):
  """All elements of a data set."""
  iterator = dataset.make_initializable_iterator()
  element = iterator.get_next()
  found = []
  with tf.Session() as session:
    session.run([tf.tables_initializer(), tf.global_variables_initializer(), iterator.initializer])
    while True:
      try:
        found.append(session.run(element))
      except tf.errors.OutOfRangeError:
        return found


def run(tensors, feed=None):
  with tf.Session() as session:
    session.run([tf.tables_initializer(), tf.global_variables_initializer()])
    return session.run(tensors, feed)


# The class of TensorFlow 1.3


def test_a_data_set_of_1_3():
  dataset = data.Dataset.from_tensor_slices([1, 2, 3, 4, 5])
  dataset = dataset.map(lambda x: x * 2, num_threads=2, output_buffer_size=3)
  assert isinstance(dataset, data.Dataset) and isinstance(dataset, tf.data.Dataset)
  assert [list(batch) for batch in elements(dataset.batch(2))] == [[2, 4], [6, 8], [10]]
  assert [(number, value) for number, value in elements(dataset.enumerate(start=5).take(2))] == [(5, 2), (6, 4)]
  assert elements(dataset.map(lambda x: x + 1, num_parallel_calls=2)) == [3, 5, 7, 9, 11]


def test_steps_of_1_3():
  dataset = data.Dataset.range(6)
  assert elements(dataset.filter(lambda x: tf.equal(x % 2, 0)).repeat(2)) == [0, 2, 4, 0, 2, 4]
  assert elements(dataset.skip(2).take(3).concatenate(data.Dataset.from_tensors(np.int64(9)))) == [2, 3, 4, 9]
  assert sorted(elements(dataset.shuffle(3, seed=1).cache().prefetch(2))) == list(range(6))
  assert elements(dataset.shard(2, 1)) == [1, 3, 5]
  assert elements(dataset.flat_map(lambda x: data.Dataset.from_tensors(x).repeat(2)).take(4)) == [0, 0, 1, 1]
  assert elements(dataset.interleave(lambda x: data.Dataset.from_tensors(x).repeat(2), 2, block_length=1).take(4)) == [0, 1, 0, 1]
  assert [list(x) for x in elements(dataset.batch(3).map(lambda x: x + 1))] == [[1, 2, 3], [4, 5, 6]]
  assert elements(dataset.batch(4).unbatch()) == list(range(6))
  assert elements(data.Dataset.zip((dataset, dataset.skip(4)))) == [(0, 4), (1, 5)]


def test_groups_and_paddings_of_1_3():
  dataset = data.Dataset.range(4)
  padded = dataset.map(lambda x: tf.fill([x], x)).padded_batch(4, [None], padding_values=np.int64(-1))
  assert elements(padded)[0].tolist() == [[-1, -1, -1], [1, -1, -1], [2, 2, -1], [3, 3, 3]]
  sparse = elements(dataset.map(lambda x: tf.fill([x], x)).dense_to_sparse_batch(2, [5]))
  assert sparse[1].values.tolist() == [2, 2, 3, 3, 3] and sparse[1].dense_shape.tolist() == [2, 5]
  grouped = dataset.group_by_window(lambda x: x % 2, lambda key, group: group.batch(2), 2)
  assert [x.tolist() for x in elements(grouped)] == [[0, 2], [1, 3]]
  checked = dataset.map(lambda x: tf.check_numerics(1.0 / tf.cast(x, tf.float32), "none")).ignore_errors()
  np.testing.assert_allclose(elements(checked), [1.0, 0.5, 1 / 3])
  assert elements(dataset.apply(tf.contrib.data.unique())) == [0, 1, 2, 3]


def test_sources_of_1_3(tmp_path):
  path = str(tmp_path / "lines.txt")
  with open(path, "w", encoding="ascii") as file:
    file.write("one\ntwo\n")
  assert elements(data.TextLineDataset(path, buffer_size=10)) == [b"one", b"two"]
  assert elements(data.FixedLengthRecordDataset(path, 3, header_bytes=1, footer_bytes=1, buffer_size=9)) == [b"ne\n", b"two"]
  records = str(tmp_path / "records")
  options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
  with tf.python_io.TFRecordWriter(records, options) as writer:
    writer.write(b"record")
  assert elements(data.TFRecordDataset(records, compression_type="GZIP", buffer_size=10)) == [b"record"]
  assert elements(data.Dataset.list_files(str(tmp_path / "*.txt"))) == [path.encode()]
  generated = data.Dataset.from_generator(lambda: iter([1, 2]), tf.int32, output_shapes=[])
  assert elements(generated) == [1, 2]
  matrix = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
  assert [x[1].tolist() for x in elements(data.Dataset.from_sparse_tensor_slices(matrix))] == [[5], [6]]


def _examples(folder, count=5):
  path = os.path.join(str(folder), "examples")
  with tf.python_io.TFRecordWriter(path) as writer:
    for value in range(count):
      feature = {"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))}
      writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
  return path


def test_read_batch_features(tmp_path):
  path = _examples(tmp_path)
  features = {"x": tf.FixedLenFeature([], tf.int64)}
  batch = data.read_batch_features(
    path, 3, features, reader=tf.data.TFRecordDataset, reader_args=[""], randomize_input=False, num_epochs=1, capacity=7
  )
  with tf.Session() as session:
    assert session.run(batch)["x"].tolist() == [0, 1, 2]
    assert session.run(batch)["x"].tolist() == [3, 4]
  shuffled = data.Dataset.read_batch_features(path, 5, features, data.TFRecordDataset, num_epochs=1, capacity=3)
  assert sorted(elements(shuffled)[0]["x"]) == [0, 1, 2, 3, 4]


# Steps


def test_batches_without_a_rest():
  dataset = tf.data.Dataset.range(5)
  kept = dataset.apply(data.batch_and_drop_remainder(2))
  assert kept.output_shapes.as_list() == [2] and [x.tolist() for x in elements(kept)] == [[0, 1], [2, 3]]
  grown = dataset.map(lambda x: tf.fill([x], x))
  padded = grown.apply(data.padded_batch_and_drop_remainder(2, [4], padding_values=np.int64(7)))
  assert [x.shape for x in elements(padded)] == [(2, 4), (2, 4)]
  assert elements(data.Dataset.range(5).apply(data.batch_and_drop_remainder(5)))[0].tolist() == [0, 1, 2, 3, 4]


def test_sliding_windows():
  dataset = tf.data.Dataset.range(6)
  slid = [x.tolist() for x in elements(dataset.apply(data.sliding_window_batch(3, stride=2)))]
  assert slid == [[0, 1, 2], [2, 3, 4]]
  strided = dataset.apply(data.sliding_window_batch(window_size=2, window_shift=1, window_stride=3))
  assert [x.tolist() for x in elements(strided)] == [[0, 3], [1, 4], [2, 5]]
  with pytest.raises(ValueError, match="Cannot specify both"):
    data.sliding_window_batch(2, stride=1, window_shift=1)


def test_shapes_of_elements_that_are_asserted():
  def unknown(x):
    return tf.py_func(lambda value: np.zeros([2, value], np.float32), [x], tf.float32)

  checked = tf.data.Dataset.from_tensor_slices([3, 3]).map(unknown).apply(data.assert_element_shape([2, 3]))
  assert checked.output_shapes.as_list() == [2, 3]
  assert [x.shape for x in elements(checked)] == [(2, 3), (2, 3)]
  with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
    elements(tf.data.Dataset.from_tensors(4).map(unknown).apply(data.assert_element_shape([2, 3])))
  with pytest.raises(ValueError, match="incompatible"):
    tf.data.Dataset.from_tensors([1, 2]).apply(data.assert_element_shape([3]))


def test_sloppy_interleave_and_reduce_dataset():
  dataset = tf.data.Dataset.range(3)
  sloppy = dataset.apply(data.sloppy_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2, block_length=2))
  assert sorted(elements(sloppy)) == [0, 0, 1, 1, 2, 2]
  reducer = data.Reducer(lambda _: np.int64(0), lambda state, x: state + x, lambda state: state * 10)
  assert run(data.reduce_dataset(dataset, reducer)) == 30
  with pytest.raises(TypeError, match="Reducer"):
    data.reduce_dataset(dataset, "sum")


def test_statistics():
  aggregator = data.StatsAggregator()
  dataset = tf.data.Dataset.range(3).apply(data.latency_stats("time"))
  dataset = dataset.apply(data.set_stats_aggregator(aggregator, prefix="mine", counter_prefix="counted"))
  iterator = dataset.make_initializable_iterator()
  element, summary = iterator.get_next(), aggregator.get_summary()
  with tf.Session() as session:
    session.run(iterator.initializer)
    for _ in range(3):
      session.run(element)
    tags = [value.tag for value in tf.Summary.FromString(session.run(summary)).value]
  assert any("time" in tag for tag in tags)


def test_names_of_the_core():
  pairs = {
    "map_and_batch": "map_and_batch",
    "unbatch": "unbatch",
    "CsvDataset": "CsvDataset",
    "SqlDataset": "SqlDataset",
    "Counter": "Counter",
    "make_csv_dataset": "make_csv_dataset",
    "group_by_reducer": "group_by_reducer",
    "prefetch_to_device": "prefetch_to_device",
  }
  for old, new in pairs.items():
    assert getattr(data, old) is getattr(tf.data.experimental, new), old
  assert data.Iterator is tf.data.Iterator


def test_arguments_of_functions_of_the_core(tmp_path):
  ragged = tf.data.Dataset.range(6).map(lambda n: tf.fill([2 + n % 2 - n % 2], n))
  buckets = data.bucket_by_sequence_length(lambda row: tf.shape(row)[0], [5], [3, 1], no_padding=True)
  assert [rows.tolist() for rows in elements(ragged.apply(buckets))] == [
    [[n, n] for n in part] for part in ([0, 1, 2], [3, 4, 5])
  ]
  interleave = data.parallel_interleave(
    lambda n: tf.data.Dataset.from_tensors(n).repeat(2), cycle_length=2, buffer_output_elements=1, prefetch_input_elements=1
  )
  assert elements(tf.data.Dataset.range(3).apply(interleave)) == [0, 1, 0, 1, 2, 2]
  kept = data.rejection_resample(lambda n: n % 2, target_dist=[0.0, 1.0], initial_dist=[0.5, 0.5], seed=3)
  assert {(int(kind), int(n) % 2) for kind, n in elements(tf.data.Dataset.range(40).apply(kept))} == {(1, 1)}
  copied = tf.data.Dataset.range(3).apply(data.copy_to_device("/cpu:0", source_device="/job:localhost/cpu:0"))
  assert elements(copied) == [0, 1, 2]
  path = str(tmp_path / "rows.csv")
  with open(path, "w") as file:
    file.write("a,b\n1,x\n2.5,y\n")
  for rows, kind in ((1, np.int32), (2, np.float32)):
    table = data.make_csv_dataset(
      path, 2, num_epochs=1, shuffle=False, prefetch_buffer_size=2, num_rows_for_inference=rows, num_parallel_reads=1
    )
    assert table.output_types["a"] == kind
  features = {"x": tf.FixedLenFeature([], tf.int64)}
  batches = data.make_batched_features_dataset(
    _examples(tmp_path),
    2,
    features,
    num_epochs=1,
    shuffle=False,
    prefetch_buffer_size=1,
    sloppy_ordering=True,
    drop_final_batch=True,
  )
  assert sorted(len(batch["x"]) for batch in elements(batches)) == [2, 2]


def test_lmdb_names_its_file(tmp_path):
  dataset = data.LMDBDataset([str(tmp_path / "nothing")])
  assert dataset.output_types == (tf.string, tf.string)
  with pytest.raises(tf.errors.OpError):
    elements(dataset)


# Tables


def _vocabulary(folder):
  path = os.path.join(str(folder), "words")
  with open(path, "w", encoding="ascii") as file:
    file.write("a\nb\nc\n")
  return path


def test_tables_of_tensors():
  table = lookup.index_table_from_tensor(
    mapping=tf.constant(["a", "b"]), num_oov_buckets=2, hasher_spec=lookup.StrongHashSpec([1, 2]), name="words"
  )
  numbers = lookup.index_table_from_tensor([7, 9], default_value=-5, dtype=tf.int64)
  ids, other = run([table.lookup(tf.constant(["b", "x"])), numbers.lookup(tf.constant([9, 1], tf.int64))])
  assert ids[0] == 1 and ids[1] in (2, 3) and other.tolist() == [1, -5]
  old = lookup.string_to_index_table_from_tensor(
    ["a", "b"], num_oov_buckets=0, default_value=8, hasher_spec=lookup.FastHashSpec, name="old"
  )
  assert run(old.lookup(tf.constant(["b", "z"]))).tolist() == [1, 8]
  buckets = lookup.string_to_index_table_from_tensor(["a"], num_oov_buckets=1, hasher_spec=lookup.StrongHashSpec([3, 4]))
  assert run(buckets.lookup(tf.constant(["a", "z"]))).tolist() == [0, 1]
  for function in (lookup.index_table_from_tensor, lookup.index_to_string_table_from_tensor):
    with pytest.raises(ValueError, match="mapping must be specified"):
      function(None)


def test_tables_of_files(tmp_path):
  path = _vocabulary(tmp_path)
  table = lookup.string_to_index_table_from_file(
    vocabulary_file=path, num_oov_buckets=1, vocab_size=3, hasher_spec=lookup.StrongHashSpec([1, 2]), name="file"
  )
  plain = lookup.string_to_index_table_from_file(path, default_value=9)
  back = lookup.index_to_string_table_from_file(path, vocab_size=2, default_value="none")
  values = run(
    [table.lookup(tf.constant(["c", "z"])), plain.lookup(tf.constant(["b", "z"])), back.lookup(tf.constant([1, 5], tf.int64))]
  )
  assert [value.tolist() for value in values] == [[2, 3], [1, 9], [b"b", b"none"]]
  assert run(lookup.index_table_from_file(path).lookup(tf.constant(["a"]))).tolist() == [0]


def test_columns_of_files_and_initializers_by_hand(tmp_path):
  path = str(tmp_path / "columns")
  with open(path, "w") as file:
    file.write("4 d\n5 e\n")
  columns = {"key_column_index": 0, "value_column_index": 0, "delimiter": " "}
  ids = lookup.index_table_from_file(path, key_dtype=tf.int64, **columns)
  names = lookup.index_to_string_table_from_file(path, key_column_index=0, value_column_index=1, delimiter=" ")
  text = lookup.TextFileStringTableInitializer(
    path, key_column_index=0, value_column_index=1, vocab_size=2, delimiter=" ", name="t"
  )
  number = lookup.TextFileIdTableInitializer(
    path, key_column_index=1, value_column_index=0, vocab_size=2, delimiter=" ", name="n", key_dtype=tf.string
  )
  whole = lookup.TextFileInitializer(
    path, tf.string, lookup.TextFileIndex.WHOLE_LINE, tf.int64, lookup.TextFileIndex.LINE_NUMBER, vocab_size=2, name="w"
  )
  tables = [lookup.HashTable(text, "?"), lookup.HashTable(number, -1), lookup.HashTable(whole, -1)]
  typed = lookup.HashTable(
    lookup.KeyValueTensorInitializer([1, 2], [3, 4], key_dtype=tf.int32, value_dtype=tf.int32, name="kv"), 0
  )
  assert all(isinstance(table, lookup.InitializableLookupTableBase) for table in [*tables, typed])
  assert isinstance(text, lookup.TableInitializerBase) and isinstance(typed, lookup.LookupInterface)
  values = run(
    [
      ids.lookup(tf.constant([5], tf.int64)),
      names.lookup(tf.constant([4], tf.int64)),
      tables[0].lookup(tf.constant([5], tf.int64)),
      tables[1].lookup(tf.constant(["d", "z"])),
      tables[2].lookup(tf.constant(["5 e"])),
      typed.lookup(tf.constant([2, 9])),
    ]
  )
  assert [value.tolist() for value in values] == [[5], [b"d"], [b"e"], [4, -1], [1], [4, 0]]


def test_buckets_of_unknown_words():
  known = lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64)), -1)
  table = lookup.IdTableWithHashBuckets(
    known, num_oov_buckets=1, hasher_spec=lookup.FastHashSpec, name="more", key_dtype=tf.string
  )
  assert lookup.FastHashSpec == lookup.HasherSpec("fasthash", None) and isinstance(
    lookup.StrongHashSpec([1, 2]), lookup.HasherSpec
  )
  assert run([table.lookup(tf.constant(["a", "b"])), table.size()])[0].tolist() == [0, 1]


def test_lookups_in_one_call():
  words, back = tf.constant(["x", "y", "z"]), tf.constant([2, 9], tf.int64)
  ids = lookup.string_to_index(words, tf.constant(["z", "y"]), default_value=-7, name="ids")
  strings = lookup.index_to_string(back, ["p", "q", "r"], default_value="?", name="strings")
  table = lookup.index_to_string_table_from_tensor(mapping=["p", "q"], default_value="!", name="table")
  values = run([ids, strings, table.lookup(tf.constant([1, 2], tf.int64))])
  assert [value.tolist() for value in values] == [[-7, 1, 0], [b"r", b"?"], [b"q", b"!"]]


def test_a_hash_table():
  initializer = lookup.KeyValueTensorInitializer(["a", "b"], [1.5, 2.5])
  table = lookup.HashTable(initializer, -1.0, shared_name="shared", name="mine")
  assert table.table_ref.op.node_def.attr["shared_name"].s == b"shared" and table.name == "mine"
  with tf.Session() as session:
    session.run(table.init)
    assert session.run([table.lookup(tf.constant(["b", "c"])), table.size()])[0].tolist() == [2.5, -1.0]
  assert lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [1]), 0).init.type == "LookupTableImportV2"


def test_mutable_tables():
  table = lookup.MutableHashTable(tf.string, tf.float32, default_value=[0.0, 0.0], shared_name="m", name="M", checkpoint=False)
  dense = lookup.MutableDenseHashTable(tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-9, initial_num_buckets=8)
  with tf.Session() as session:
    session.run([table.insert(tf.constant(["a"]), [[1.0, 2.0]]), dense.insert(tf.constant([5], tf.int64), [50])])
    values = session.run([table.lookup(tf.constant(["a", "b"])), dense.lookup(tf.constant([5, 6], tf.int64)), table.size()])
  assert [np.asarray(value).tolist() for value in values] == [[[1.0, 2.0], [0.0, 0.0]], [50, -1], 1]


# Summaries


def test_a_database_of_summaries(tmp_path):
  path = str(tmp_path / "summaries.sqlite")
  summary = tf.contrib.summary
  writer = summary.create_db_writer(path, experiment_name="experiment", run_name="run", user_name="user", name="db")
  with writer.as_default(), summary.always_record_summaries():
    op = summary.scalar("value", 4.0, step=3)
  with tf.Session() as session, writer.as_default():
    summary.initialize(session=session)
    session.run(op)
    session.run(writer.flush())
    session.run(writer.close())
  with sqlite3.connect(path) as database:
    assert database.execute("SELECT run_name FROM Runs").fetchall() == [("run",)]
    assert database.execute("SELECT tag_name FROM Tags").fetchall() == [("value",)]
  with pytest.raises(ValueError, match="user_name"):
    summary.create_db_writer(path, user_name="two words")
  assert isinstance(summary.create_db_writer(path), summary.SummaryWriter)


def test_older_name_of_the_file_writer(tmp_path):
  writer = tf.contrib.summary.create_summary_file_writer(str(tmp_path), name="old")
  with tf.Session() as session:
    session.run(writer.init())
    session.run(writer.flush())
  assert len(glob.glob(str(tmp_path / "events*"))) == 1
