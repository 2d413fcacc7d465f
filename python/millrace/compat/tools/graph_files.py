"""GraphDefs and other messages in files, as text or not."""

from google.protobuf import text_format

import millrace as tf


def read(message, path, binary, what):
  """Reads a file into a message and returns that. Raises OSError if there is no such file."""
  if not tf.gfile.Exists(path):
    raise OSError(f"Input {what} file '{path}' does not exist!")
  with tf.gfile.GFile(path, "rb" if binary else "r") as file:
    data = file.read()
  if binary:
    message.ParseFromString(data)
  else:
    text_format.Merge(data, message)
  return message


def write(graph_def, path, binary):
  """Writes a GraphDef."""
  with tf.gfile.GFile(path, "wb" if binary else "w") as file:
    file.write(graph_def.SerializeToString() if binary else text_format.MessageToString(graph_def))
