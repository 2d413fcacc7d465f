"""plugins.projector: which variables TensorBoard shows as embeddings."""

import os

from google.protobuf import text_format

import millrace as tf

_TEXT = """
message SpriteMetadata
1 string image_path
2 repeated uint32 single_image_dim

message EmbeddingInfo
1 string tensor_name
2 string metadata_path
3 string bookmarks_path
4 repeated uint32 tensor_shape
5 tensorflow.SpriteMetadata sprite
6 string tensor_path

message ProjectorConfig
1 string model_checkpoint_path
2 repeated tensorflow.EmbeddingInfo embeddings
3 string model_checkpoint_dir
"""

PROJECTOR_FILENAME = "projector_config.pbtxt"
_classes = None


def __getattr__(name):
  global _classes
  if name in ("ProjectorConfig", "EmbeddingInfo", "SpriteMetadata"):
    if _classes is None:
      from millrace.framework import declared_messages

      _classes = declared_messages.declare("python/contrib/tensorboard/projector.proto", "tensorflow", _TEXT)
    return _classes[name]
  raise AttributeError(name)


def visualize_embeddings(summary_writer, config):
  """Writes a ProjectorConfig where TensorBoard looks for it: into the folder of a FileWriter. Raises ValueError if it has none."""
  logdir = summary_writer.get_logdir()
  if logdir is None:
    raise ValueError("Summary writer must have a logdir")
  with tf.gfile.GFile(os.path.join(logdir, PROJECTOR_FILENAME), "w") as file:
    file.write(text_format.MessageToString(config))
