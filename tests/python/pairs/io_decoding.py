"""Bytes, lines of text and tensors decoded and encoded, and files read and written."""

import os
import tempfile
import zlib

import numpy as np


def run(tf, fetches, feed=None):
  with tf.Session() as session:
    return session.run(fetches, feed)


def caught(function):
  """Returns the error that a function raises, or what it returns."""
  try:
    return function()
  except Exception as error:  # noqa: BLE001
    return error


def program_decode_raw(tf):
  p = tf.placeholder(tf.string, [None])
  results = [
    tf.decode_raw(p, tf.uint8),
    tf.decode_raw(p, tf.int16, name="words"),
    tf.decode_raw(p, tf.int16, little_endian=False),
    tf.io.decode_raw(np.array([1.5, 2.5], np.float32).tobytes(), tf.float32),
    tf.io.decode_raw(input_bytes=["ab"], out_type=tf.int8),
  ]
  wrong = type(caught(lambda: run(tf, tf.decode_raw(["abc"], tf.int16)))).__name__
  return wrong, [str(result.shape) for result in results], run(tf, results, {p: [b"\x01\x00\x02\x00", b"\x00\x01\x00\x02"]})


def program_decode_csv(tf):
  lines = tf.placeholder(tf.string, [None])
  results = [
    tf.decode_csv(lines, [[0], [""], [1.5]]),
    tf.io.decode_csv(["1;2", "NA;4"], [[7], [8]], field_delim=";", na_value="NA", name="semicolons"),
    tf.decode_csv(['a "b",2'], [["x"], [0]], use_quote_delim=False),
    tf.decode_csv("1,2,3", [[0], [0]], select_cols=[0, 2]),
    tf.decode_csv("5", [tf.constant([], tf.int64)]),
  ]
  errors = [
    type(caught(lambda: run(tf, tf.decode_csv("1,2", [[0]])))).__name__,
    type(caught(lambda: run(tf, tf.decode_csv("x", [[0]])))).__name__,
  ]
  return errors, run(tf, results, {lines: ['1,"a,b",2.5', ",,"]})


def program_decode_compressed(tf):
  results = [
    tf.decode_compressed([b"as it is"]),
    tf.decode_compressed([zlib.compress(b"packed")], compression_type="ZLIB", name="zlib"),
    tf.io.decode_compressed(zlib.compress(b"one"), "ZLIB"),
  ]
  return run(tf, results)


def program_tensors_as_bytes(tf):
  x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
  p = tf.placeholder(tf.string, [])
  results = [
    tf.parse_tensor(tf.serialize_tensor(x), tf.float32),
    tf.io.parse_tensor(tf.io.serialize_tensor(["a", "b"], name="texts"), tf.string, name="parsed"),
    tf.parse_tensor(p, out_type=tf.int64),
  ]
  record = run(tf, tf.io.serialize_tensor(tf.constant([5], tf.int64)))
  wrong = type(caught(lambda: run(tf, tf.parse_tensor(tf.serialize_tensor(x), tf.int32)))).__name__
  return wrong, run(tf, results, {p: record})


def program_sparse_as_bytes(tf):
  x = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
  one = tf.serialize_sparse(x)
  many = tf.serialize_many_sparse(x, name="many")
  results = [
    tf.shape(one),
    tf.io.serialize_sparse(x, name="variants", out_type=tf.string)[2],
    tf.deserialize_many_sparse(many, tf.float32),
    tf.io.deserialize_many_sparse(tf.stack([one, one]), dtype=tf.float32, rank=2, name="twice"),
  ]
  return run(tf, results)


def program_files(tf):
  """Values only: the name of the temporary folder is in the graph."""
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "some", "a.txt")
    name = tf.placeholder(tf.string, [])
    write = tf.write_file(name, "content")
    read = tf.read_file(name)
    found = tf.matching_files(tf.strings.join([name, "*"]), name="found")
    many = tf.io.matching_files([os.path.join(folder, "*.txt"), os.path.join(folder, "some", "*.txt")])
    with tf.Session() as session:
      session.run(write, {name: path})
      text = session.run(read, {name: path})
      count = len(session.run(found, {name: path}))
    names = [os.path.basename(item) for item in run(tf, many)]
    missing = type(caught(lambda: run(tf, read, {name: path + "x"}))).__name__
    return text, count, names, missing


program_files.values_only = True


def program_image_of_record(tf):
  """A record of raw pixels, as many training programs read it."""
  pixels = np.arange(12, dtype=np.uint8)
  feature = {
    "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels.tobytes()])),
    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[2])),
  }
  record = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
  p = tf.placeholder(tf.string, [])
  parsed = tf.parse_single_example(
    p, features={"image_raw": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
  )
  image = tf.decode_raw(parsed["image_raw"], tf.uint8)
  image.set_shape([12])
  image = tf.cast(tf.reshape(image, [2, 2, 3]), tf.float32) * (1.0 / 255) - 0.5
  return run(tf, [image, tf.one_hot(tf.cast(parsed["label"], tf.int32), 4)], {p: record})
