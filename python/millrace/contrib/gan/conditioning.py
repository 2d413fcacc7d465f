"""Features of networks under conditions: tensors are moved by a projection of what they depend on."""

import millrace as tf


def _sizes(tensor):
  """The sizes of a tensor, as numbers where they are known."""
  known, sizes = tensor.shape.as_list(), tf.shape(tensor)
  return [sizes[axis] if size is None else size for axis, size in enumerate(known)]


def condition_tensor(tensor, conditioning):
  """Returns `tensor` plus a linear projection of `conditioning`, which has as many rows, to its shape.

  Raises ValueError if the shape behind the first dimension is not known.
  """
  tensor.shape[1:].assert_is_fully_defined()
  features = tensor.shape[1:].num_elements()
  mapped = tf.contrib.layers.linear(tf.contrib.layers.flatten(conditioning), features)
  if not mapped.shape.is_compatible_with(tensor.shape):
    mapped = tf.reshape(mapped, _sizes(tensor))
  return tensor + mapped


def condition_tensor_from_onehot(tensor, one_hot_labels, embedding_size=256):
  """As condition_tensor; the conditions are embeddings, of `embedding_size` numbers, of labels.

  Raises ValueError if the labels are no matrix of known width.
  """
  one_hot_labels.shape.assert_has_rank(2)
  classes = one_hot_labels.shape.as_list()[1]
  if classes is None:
    raise ValueError("The number of classes must be known")
  embeddings = tf.contrib.framework.model_variable("embeddings", [classes, embedding_size])
  numbers = tf.argmax(one_hot_labels, 1)
  return condition_tensor(tensor, tf.nn.embedding_lookup(embeddings, numbers, name="class_embedding"))
