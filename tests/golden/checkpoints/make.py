#!/usr/bin/env python3
"""Writes the files of this folder with the stock TensorFlow client.

  python tests/golden/checkpoints/make.py

bundle_golden_test.cc knows what is in them: element i of a tensor is made of
the number i. They are committed, so that reading them needs no TensorFlow.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
tf1 = tf.compat.v1
tf1.disable_eager_execution()

NUMBERS = [
  "float32",
  "float64",
  "int32",
  "uint8",
  "int16",
  "int8",
  "complex64",
  "int64",
  "bfloat16",
  "uint16",
  "complex128",
  "float16",
  "uint32",
  "uint64",
]
QUANTIZED = [("qint8", "int8"), ("quint8", "uint8"), ("qint16", "int16"), ("quint16", "uint16"), ("qint32", "int32")]
STRINGS = ["", "hello", "with\0zero", "x" * 300, "\xff\xfe".encode("latin1"), "z"]


def of_every_dtype():
  """types: one tensor of each dtype, 2 x 3, and a scalar and an empty one."""
  with tf1.Graph().as_default(), tf1.Session() as session:
    named = {}
    for name in NUMBERS:
      named[name] = tf1.constant(np.arange(6).reshape(2, 3).astype(tf.as_dtype(name).as_numpy_dtype))
    for name, plain in QUANTIZED:
      number = np.arange(6).reshape(2, 3).astype(plain)
      named[name] = tf.bitcast(tf1.constant(number), tf.as_dtype(name))
    named["bool"] = tf1.constant(np.arange(6).reshape(2, 3) % 2 == 1)
    named["string"] = tf1.constant(np.array(STRINGS, dtype=object).reshape(2, 3))
    named["scalar"] = tf1.constant(42.5)
    named["empty"] = tf1.constant(np.zeros((0, 4), np.float32))
    prefix = os.path.join(HERE, "types")
    session.run(
      tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list(named), shape_and_slices=[""] * len(named), tensors=list(named.values()))
    )


def sharded():
  """sharded-5: two devices, a variable in three slices, the state file."""
  with tf1.Graph().as_default():
    with tf.device("/cpu:0"):
      weights = tf1.get_variable("weights", initializer=tf.reshape(tf.range(20.0), [5, 4]))
      names = tf1.get_variable("names", initializer=tf1.constant(["a", "", "ccc"]))
    with tf.device("/cpu:1"):
      half = tf1.get_variable("half", initializer=tf.cast(tf.range(3), tf.bfloat16))
      step = tf1.get_variable("global_step", initializer=tf1.constant(5, tf.int64))
    with tf.device("/cpu:1"):
      part = tf1.get_variable(
        "part", shape=[7, 2], partitioner=tf1.fixed_size_partitioner(3), initializer=tf1.constant_initializer(0)
      )
    pieces = list(part)
    with tf.device("/cpu:0"):
      # Rows 0..2, 3..4 and 5..6; each value is its index in the whole.
      updates = []
      start = 0
      for piece in pieces:
        rows = piece.shape[0]
        value = np.arange(start * 2, (start + rows) * 2, dtype=np.float32).reshape(rows, 2)
        updates.append(tf1.assign(piece, value))
        start += rows
    saver = tf1.train.Saver(sharded=True)
    config = tf1.ConfigProto(device_count={"CPU": 2})
    with tf1.Session(config=config) as session:
      session.run(tf1.global_variables_initializer())
      session.run(updates)
      where = os.getcwd()
      os.chdir(HERE)
      saver.save(session, "./sharded", global_step=5, write_meta_graph=False, latest_filename="checkpoint")
      os.chdir(where)


def old_format():
  """v1: format V1 with a variable in two slices."""
  with tf1.Graph().as_default():
    tf1.get_variable("plain", initializer=tf.reshape(tf.range(6.0), [2, 3]))
    tf1.get_variable("count", initializer=tf1.constant(7))
    tf1.get_variable("wide", initializer=tf.cast(tf.range(4), tf.complex64))
    part = tf1.get_variable(
      "part", shape=[4, 2], partitioner=tf1.fixed_size_partitioner(2), initializer=tf1.constant_initializer(3.5)
    )
    saver = tf1.train.Saver(write_version=tf1.train.SaverDef.V1)
    with tf1.Session() as session:
      session.run(tf1.global_variables_initializer())
      saver.save(session, os.path.join(HERE, "v1"), write_meta_graph=False, write_state=False)
  del part


def records():
  """records.*: ten records, plain and compressed."""
  for suffix, compression in (("plain", ""), ("zlib", "ZLIB"), ("gzip", "GZIP")):
    path = os.path.join(HERE, "records." + suffix)
    options = tf1.io.TFRecordOptions(getattr(tf1.io.TFRecordCompressionType, compression or "NONE"))
    with tf1.io.TFRecordWriter(path, options) as writer:
      for i in range(10):
        writer.write(b"record %d " % i * i)


if __name__ == "__main__":
  of_every_dtype()
  sharded()
  old_format()
  records()
