"""What programs of lookup tables share."""

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
lookup = tf.lookup


def static_table(keys, values, default, key_dtype=None, value_dtype=None, **options):
  return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(keys, values, key_dtype, value_dtype), default, **options)


def session_of(cluster, **options):
  return tf1.Session(cluster.target("worker"), config=tf1.ConfigProto(operation_timeout_in_ms=60_000), **options)


def exported(session, table):
  """Keys and values of a table whose order is nobody's business."""
  keys, values = session.run(table.export())
  order = np.argsort(keys.astype(str))
  return {"keys": keys[order].tolist(), "values": values[order].tolist()}


def some(dtype, numbers):
  if dtype == tf.string:
    return [f"word {n}" for n in numbers]
  return [bool(n % 2) for n in numbers] if dtype == tf.bool else list(numbers)
