"""tf.data.experimental: steps, optionals, files."""

import os
import sqlite3
import tempfile

import numpy as np


def _file(name, data=None):
  folder = os.path.join(tempfile.gettempdir(), "millrace_pairs")
  os.makedirs(folder, exist_ok=True)
  path = os.path.join(folder, name)
  if data is not None:
    with open(path, "wb") as file:
      file.write(data)
  return path


def _all(tf, dataset, most=50):
  iterator = tf.data.make_initializable_iterator(dataset)
  element = iterator.get_next()
  found = []
  with tf.Session() as session:
    session.run(iterator.initializer)
    try:
      while len(found) < most:
        found.append(session.run(element))
    except tf.errors.OutOfRangeError:
      found.append("end")
  return found


def program_map_and_batch(tf):
  make = tf.data.experimental.map_and_batch
  dataset = tf.data.Dataset.range(10)
  one = dataset.apply(make(lambda x: x + 1, 4))
  two = dataset.apply(make(lambda x: x * 2, 3, num_parallel_batches=2, drop_remainder=True))
  three = dataset.apply(make(lambda x: (x, -x), 4, num_parallel_calls=2))
  return _all(tf, one) + _all(tf, two) + _all(tf, three)


def program_map_and_batch_both(tf):
  tf.data.experimental.map_and_batch(lambda x: x, 4, num_parallel_batches=2, num_parallel_calls=2)


def program_shuffle_and_repeat(tf):
  return _all(tf, tf.data.Dataset.range(5).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=3)))


def program_parallel_interleave(tf):
  make = lambda x: tf.data.Dataset.from_tensors(x).repeat(3)
  step = tf.data.experimental.parallel_interleave(make, 2, 2, False, 4, 5)
  sloppy = tf.data.experimental.parallel_interleave(make, cycle_length=1, sloppy=True)
  dataset = tf.data.Dataset.range(4)
  return _all(tf, dataset.apply(step)) + _all(tf, dataset.apply(sloppy))


def program_group_by_window(tf):
  group = tf.data.experimental.group_by_window
  dataset = tf.data.Dataset.range(10)
  fixed = dataset.apply(group(lambda x: x % 2, lambda k, d: d.batch(3), window_size=3))
  by_key = dataset.apply(group(lambda x: x % 2, lambda k, d: d.batch(9), window_size_func=lambda k: k + 1))
  return _all(tf, fixed) + _all(tf, by_key)


def program_group_by_reducer(tf):
  reducer = tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: (s, s * 2))
  return _all(tf, tf.data.Dataset.range(10).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)))


def program_bucket_by_sequence_length(tf):
  bucket = tf.data.experimental.bucket_by_sequence_length
  dataset = tf.data.Dataset.range(1, 9).map(lambda x: tf.range(x % 5 + 1))
  plain = dataset.apply(bucket(lambda x: tf.size(x), [3, 5], [2, 3, 4]))
  dropped = dataset.apply(
    bucket(lambda x: tf.size(x), [3, 5], [2, 3, 4], padded_shapes=[None], padding_values=np.int64(7), drop_remainder=True)
  )
  return _all(tf, plain) + _all(tf, dropped)


def program_bucket_boundaries(tf):
  bucket = tf.data.experimental.bucket_by_sequence_length
  dataset = tf.data.Dataset.range(1, 5).map(lambda x: tf.range(x))
  return _all(tf, dataset.apply(bucket(lambda x: tf.size(x), [3, 6], [2, 2, 2], pad_to_bucket_boundary=True)))


def program_bucket_wrong_sizes(tf):
  tf.data.Dataset.range(3).apply(tf.data.experimental.bucket_by_sequence_length(lambda x: tf.size(x), [3, 5], [2]))


def program_scan(tf):
  return _all(tf, tf.data.Dataset.range(5).apply(tf.data.experimental.scan(np.int64(1), lambda s, x: (s + x, s * 10 + x))))


def program_scan_grows(tf):
  step = tf.data.experimental.scan([0], lambda s, x: (tf.concat([s, s], 0), tf.size(s)))
  return _all(tf, tf.data.Dataset.range(4).apply(step))


def program_take_while_unique(tf):
  dataset = tf.data.Dataset.from_tensor_slices([1, 2, 2, 1, 3, 9, 4])
  unique = dataset.apply(tf.data.experimental.unique())
  return _all(tf, unique) + _all(tf, dataset.apply(tf.data.experimental.take_while(lambda x: x < 5)))


def program_ignore_errors(tf):
  dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0])
  checked = dataset.map(lambda x: tf.check_numerics(1.0 / x, "broken"))
  return _all(tf, checked.apply(tf.data.experimental.ignore_errors()))


def program_sample_from_datasets(tf):
  datasets = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13), tf.data.Dataset.range(20, 23)]
  same = tf.data.experimental.sample_from_datasets(datasets, seed=3)
  weighted = tf.data.experimental.sample_from_datasets(datasets[:2], [0.2, 0.8], seed=4)
  return _all(tf, same) + _all(tf, weighted)


def program_choose_from_datasets(tf):
  datasets = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
  choices = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 1], np.int64))
  return _all(tf, tf.data.experimental.choose_from_datasets(datasets, choices))


def program_counter_and_random(tf):
  counter = tf.data.experimental.Counter(3, 2)
  random = tf.data.experimental.RandomDataset(seed=7)
  return _all(tf, counter, 3) + _all(tf, random, 3)


def program_unbatch_enumerate(tf):
  dataset = tf.data.Dataset.from_tensors([[1, 2], [3, 4]])
  unbatched = dataset.apply(tf.data.experimental.unbatch())
  return _all(tf, unbatched.apply(tf.data.experimental.enumerate_dataset(start=7)))


def program_dense_to_sparse_batch(tf):
  dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.range(x))
  return _all(tf, dataset.apply(tf.data.experimental.dense_to_sparse_batch(2, [4])))


def program_prefetch_to_device(tf):
  dataset = tf.data.Dataset.range(4)
  one = dataset.apply(tf.data.experimental.prefetch_to_device("/cpu:0", 2))
  two = dataset.apply(tf.data.experimental.copy_to_device("/cpu:0"))
  return _all(tf, one) + _all(tf, two)


def program_optional(tf):
  e = tf.data.experimental
  iterator = tf.data.Dataset.range(1).make_initializable_iterator()
  following = e.get_next_as_optional(iterator)
  has, value = following.has_value(), following.get_value()
  some = e.Optional.from_value((tf.constant(1), 2.0))
  with tf.Session() as session:
    session.run(iterator.initializer)
    first = session.run([has, value])
    return first + [session.run(has), session.run(some.get_value()), session.run(some.has_value())]


def program_cardinality_and_element(tf):
  e = tf.data.experimental
  d = tf.data.Dataset
  numbers = [e.cardinality(x) for x in (d.range(5), d.range(5).repeat(), d.range(5).filter(lambda x: x > 2))]
  with tf.Session() as session:
    found = session.run(numbers)
    return found + [session.run(e.get_single_element(d.from_tensors((1, "a")))), e.AUTOTUNE, e.INFINITE_CARDINALITY]


def program_single_element_of_many(tf):
  with tf.Session() as session:
    session.run(tf.data.experimental.get_single_element(tf.data.Dataset.range(2)))


def program_variant(tf):
  e = tf.data.experimental
  dataset = tf.data.Dataset.range(3)
  again = e.from_variant(e.to_variant(dataset), e.get_structure(dataset))
  return _all(tf, again)


def program_rejection_resample(tf):
  step = tf.data.experimental.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.9, 0.1], [0.5, 0.5], seed=3)
  return [int(kind) for kind, _ in _all(tf, tf.data.Dataset.range(40).apply(step), 12)[:8]]


def program_csv_dataset(tf):
  path = _file("rows.csv", b"a;b;c\n1;2.5;x\n3;;y\n")
  e = tf.data.experimental
  all_columns = e.CsvDataset(path, [tf.int32, tf.constant([0.5]), tf.string], header=True, field_delim=";")
  some = e.CsvDataset([path], [tf.constant(["?"])], None, 1000, True, ";", False, "", [2])
  return _all(tf, all_columns) + _all(tf, some)


def program_make_csv_dataset(tf):
  path = _file("table.csv", b"a,b,c\n1,2.5,x\n3,4.5,y\n5,6.5,z\n")
  make = tf.data.experimental.make_csv_dataset
  one = make(path, 2, label_name="c", num_epochs=1, shuffle=False)
  two = make(
    path, 2, column_names=["p", "q", "r"], select_columns=["p", "r"], column_defaults=[tf.int32, "z"], num_epochs=2, shuffle=False
  )
  return _all(tf, one) + _all(tf, two)


def program_make_csv_shuffled(tf):
  path = _file("table.csv", b"a,b,c\n1,2.5,x\n3,4.5,y\n5,6.5,z\n")
  return _all(
    tf, tf.data.experimental.make_csv_dataset([path], 3, shuffle_seed=5, shuffle_buffer_size=10, num_parallel_reads=2), 3
  )


def program_sql_dataset(tf):
  path = _file("rows.db")
  if os.path.exists(path):
    os.remove(path)
  base = sqlite3.connect(path)
  base.execute("create table t (n integer, w text)")
  base.executemany("insert into t values (?, ?)", [(1, "a"), (2, "b")])
  base.commit()
  base.close()
  return _all(tf, tf.data.experimental.SqlDataset("sqlite", path, "select n, w from t order by n", (tf.int32, tf.string)))


def _examples(tf):
  path = _file("examples.rec")
  with tf.python_io.TFRecordWriter(path) as writer:
    for i in range(5):
      feature = {
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w%d" % i] * (i % 3))),
      }
      writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
  return path


def program_parse_example_dataset(tf):
  features = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.VarLenFeature(tf.string)}
  dataset = tf.data.TFRecordDataset(_examples(tf)).batch(2)
  return _all(tf, dataset.apply(tf.data.experimental.parse_example_dataset(features, 2)))


def program_make_batched_features_dataset(tf):
  features = {"a": tf.FixedLenFeature([], tf.int64), "b": tf.VarLenFeature(tf.string)}
  dataset = tf.data.experimental.make_batched_features_dataset(
    _examples(tf), 2, features, label_key="a", num_epochs=1, shuffle=False, reader_num_threads=1, parser_num_threads=1
  )
  return _all(tf, dataset)


def program_write_records(tf):
  path = _file("written.rec")
  write = tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.range(3).map(tf.as_string))
  with tf.Session() as session:
    session.run(write)
  return list(tf.python_io.tf_record_iterator(path))


def program_files(tf):
  lines = [_file("one.txt", b"a\nb\n"), _file("two.txt", b"c\n")]
  binary = _file("fixed.dat", b"H" + bytes(range(9)) + b"FF")
  d = tf.data
  result = _all(tf, d.TextLineDataset(lines)) + _all(tf, d.TextLineDataset(d.Dataset.from_tensor_slices(lines), buffer_size=10))
  result += _all(tf, d.FixedLengthRecordDataset(binary, 3, header_bytes=1, footer_bytes=2, buffer_size=50))
  names = d.Dataset.list_files([lines[0][:-7] + "*.txt"], shuffle=False).filter(
    lambda n: tf.strings.regex_full_match(n, ".*(one|two).txt")
  )
  result += _all(tf, names) + sorted(_all(tf, d.Dataset.list_files(lines, seed=3))[:-1])
  return result + _all(tf, d.TFRecordDataset(_examples(tf), num_parallel_reads=2).map(lambda r: tf.strings.length(r) > 0))


def program_missing_file(tf):
  return _all(tf, tf.data.TextLineDataset("/nowhere/at/all.txt"))


def program_list_files_without_match(tf):
  return _all(tf, tf.data.Dataset.list_files("/nowhere/*.txt"))


def program_files_of_wrong_type(tf):
  tf.data.TextLineDataset([1, 2])
