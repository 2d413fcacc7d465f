"""Small files that other programs may read while they are written."""

import os
import uuid

import millrace as tf


def write_atomically(path, content):
  """Writes `content` (text or bytes) beside `path` and moves it there, so that nobody reads a part of it."""
  temporary = path + ".tmp" + uuid.uuid4().hex
  mode = "wb" if isinstance(content, bytes) else "w"
  try:
    with tf.gfile.GFile(temporary, mode) as f:
      f.write(content)
    tf.gfile.Rename(temporary, path, overwrite=True)
  except tf.errors.OpError:
    if tf.gfile.Exists(temporary):
      tf.gfile.Remove(temporary)
    raise


def exists(pattern):
  """Whether a file matches `pattern`."""
  return bool(tf.gfile.Glob(pattern))


def read(path):
  """The bytes of the file."""
  with tf.gfile.GFile(path, "rb") as f:
    return f.read()


def parent(path):
  return os.path.dirname(path)
