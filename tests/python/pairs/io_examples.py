"""Records of features, parsed with every kind of feature."""

import os
import tempfile


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def ints(tf, *values):
  return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(tf, *values):
  return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def texts(tf, *values):
  return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(tf, **features):
  return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def sequence(tf, context, lists):
  lists = {name: tf.train.FeatureList(feature=features) for name, features in lists.items()}
  return tf.train.SequenceExample(
    context=tf.train.Features(feature=context), feature_lists=tf.train.FeatureLists(feature_list=lists)
  ).SerializeToString()


def program_fixed_features(tf):
  p = tf.placeholder(tf.string, [None])
  features = {
    "label": tf.FixedLenFeature([], tf.int64),
    "weights": tf.FixedLenFeature([2, 2], tf.float32),
    "word": tf.FixedLenFeature([1], tf.string, default_value="none"),
    "bias": tf.io.FixedLenFeature([3], tf.float32, default_value=[1.0, 2.0, 3.0]),
    "count": tf.FixedLenFeature((), tf.int64, default_value=-1),
  }
  records = [
    example(tf, label=ints(tf, 3), weights=floats(tf, 1, 2, 3, 4), word=texts(tf, b"cat")),
    example(tf, label=ints(tf, 4), weights=floats(tf, 5, 6, 7, 8), bias=floats(tf, 0, 0, 1), count=ints(tf, 9)),
  ]
  parsed = tf.parse_example(p, features)
  again = tf.io.parse_example(p, features, name="again", example_names=["a", "b"])
  return sorted(parsed), run(tf, [parsed, again], {p: records})


def program_variable_features(tf):
  features = {
    "ids": tf.VarLenFeature(tf.int64),
    "names": tf.io.VarLenFeature(tf.string),
    "padded": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
    "pairs": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True, default_value=-1),
  }
  records = [
    example(tf, ids=ints(tf, 1, 2), padded=floats(tf, 1.5), pairs=ints(tf, 1, 2, 3, 4)),
    example(tf, names=texts(tf, b"x", b"y", b"z"), padded=floats(tf, 2.5, 3.5), pairs=ints(tf)),
    example(tf),
  ]
  p = tf.placeholder(tf.string, [None])  # fed, as the order of features in a record may differ
  return run(tf, tf.parse_example(p, features), {p: records})


def program_sparse_features(tf):
  features = {
    "one": tf.SparseFeature("ix", "value", tf.float32, 10),
    "two": tf.io.SparseFeature(["ix", "iy"], "value", tf.float32, [10, 5], already_sorted=False),
  }
  records = [
    example(tf, ix=ints(tf, 7, 1), iy=ints(tf, 0, 4), value=floats(tf, 1, 2)),
    example(tf, ix=ints(tf), iy=ints(tf), value=floats(tf)),
  ]
  p = tf.placeholder(tf.string, [None])  # fed, as the order of features in a record may differ
  return run(tf, tf.parse_example(p, features), {p: records})


def program_single_example(tf):
  p = tf.placeholder(tf.string, [])
  features = {
    "image": tf.FixedLenFeature([], tf.string),
    "label": tf.FixedLenFeature([], tf.int64, default_value=0),
    "size": tf.FixedLenFeature([2], tf.int64),
    "tags": tf.VarLenFeature(tf.string),
    "tail": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
  }
  parsed = tf.parse_single_example(p, features)
  again = tf.io.parse_single_example(p, features=features, name="again")
  record = example(tf, image=texts(tf, b"\x00\x01"), size=ints(tf, 4, 6), tags=texts(tf, b"a", b"b"), tail=floats(tf, 1, 2))
  return {key: str(value.shape) for key, value in parsed.items()}, run(tf, [parsed, again], {p: record})


def program_wrong_examples(tf):
  fixed = {"a": tf.FixedLenFeature([1], tf.float32)}
  return [
    caught(lambda: tf.parse_example(["x"], {})),
    caught(lambda: tf.parse_example(["x"], {"a": tf.FixedLenFeature([1], None)})),
    caught(lambda: tf.parse_example(["x"], {"a": tf.FixedLenFeature(None, tf.float32)})),
    caught(lambda: tf.parse_single_example("x", {})),
    type(caught(lambda: run(tf, tf.parse_example([example(tf)], fixed)))).__name__,
    type(caught(lambda: run(tf, tf.parse_example([example(tf, a=ints(tf, 1))], fixed)))).__name__,
    type(caught(lambda: run(tf, tf.parse_single_example(b"no record", fixed)))).__name__,
  ]


def program_sequences(tf):
  p = tf.placeholder(tf.string, [])
  context = {"length": tf.FixedLenFeature([], tf.int64), "tags": tf.VarLenFeature(tf.string)}
  lists = {
    "tokens": tf.FixedLenSequenceFeature([], tf.int64),
    "points": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
    "words": tf.VarLenFeature(tf.string),
  }
  record = sequence(
    tf,
    {"length": ints(tf, 2), "tags": texts(tf, b"t")},
    {"tokens": [ints(tf, 5), ints(tf, 6)], "words": [texts(tf, b"a"), texts(tf, b"b", b"c")]},
  )
  parsed = tf.parse_single_sequence_example(p, context, lists)
  again = tf.io.parse_single_sequence_example(p, context_features=context, sequence_features=lists, name="again")
  return run(tf, [parsed, again], {p: record})


def program_batches_of_sequences(tf):
  context = {"length": tf.FixedLenFeature([], tf.int64), "name": tf.FixedLenFeature([], tf.string, default_value="?")}
  lists = {"tokens": tf.FixedLenSequenceFeature([], tf.int64), "words": tf.VarLenFeature(tf.string)}
  records = [
    sequence(tf, {"length": ints(tf, 2)}, {"tokens": [ints(tf, 5), ints(tf, 6)], "words": [texts(tf, b"a")]}),
    sequence(tf, {"length": ints(tf, 1), "name": texts(tf, b"n")}, {"tokens": [ints(tf, 7)]}),
  ]
  p = tf.placeholder(tf.string, [None])
  return run(tf, tf.io.parse_sequence_example(p, context, lists, name="batch"), {p: records})


def program_json(tf):
  text = '{"features": {"feature": {"a": {"int64List": {"value": ["3"]}}}}}'
  binary = tf.decode_json_example([text])
  other = tf.io.decode_json_example(text, name="json")
  return run(tf, [tf.parse_example(binary, {"a": tf.FixedLenFeature([], tf.int64)}), tf.shape(other)])


def program_records_in_a_file(tf):
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "data.tfrecord")
    with tf.python_io.TFRecordWriter(path) as writer:
      for index in range(3):
        writer.write(example(tf, x=floats(tf, index, index + 1), y=ints(tf, index)))
    records = list(tf.python_io.tf_record_iterator(path))
    p = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(p, {"x": tf.FixedLenFeature([2], tf.float32), "y": tf.FixedLenFeature([], tf.int64)})
    return len(records), run(tf, [tf.reduce_sum(parsed["x"]), parsed["y"]], {p: records})
