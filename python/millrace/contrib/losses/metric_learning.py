"""Losses of embeddings that shall be near each other for equal labels, and far apart for others."""

import millrace as tf
from millrace.framework import composite, dtypes
from millrace.framework.graph import name_scope


def _squared_distances(embeddings):
  """The squares of the distances between all rows: a matrix with zeros on the diagonal, nowhere below 0."""
  squares = tf.reduce_sum(tf.square(embeddings), axis=[1], keepdims=True)
  products = tf.matmul(embeddings, embeddings, transpose_b=True)
  distances = tf.maximum(squares + tf.transpose(squares) - 2.0 * products, 0.0)
  return tf.matrix_set_diag(distances, tf.zeros(tf.shape(distances)[:1], distances.dtype))


def _distances(embeddings):
  """The distances between all rows, where those that are 0 have the gradient 0."""
  squares = _squared_distances(embeddings)
  is_zero = tf.less_equal(squares, 0.0)
  roots = tf.sqrt(squares + tf.cast(is_zero, squares.dtype) * 1e-16)
  return roots * tf.cast(tf.logical_not(is_zero), squares.dtype)


def _equal_labels(labels):
  """Whether the labels of two rows are equal: a matrix."""
  labels = tf.reshape(labels, [-1, 1])
  return tf.equal(labels, tf.transpose(labels))


def contrastive_loss(labels, embeddings_anchor, embeddings_positive, margin=1.0):
  """The mean of d^2 for pairs with the label 1, and of max(margin - d, 0)^2 for those with the label 0, d being their distance.

  Hadsell, Chopra and LeCun, "Dimensionality reduction by learning an invariant mapping" (2006).
  """
  distances = tf.sqrt(tf.reduce_sum(tf.squared_difference(embeddings_anchor, embeddings_positive), axis=1))
  labels = tf.cast(labels, dtypes.float32)
  same = labels * tf.square(distances)
  other = (1.0 - labels) * tf.square(tf.maximum(margin - distances, 0.0))
  return tf.reduce_mean(same + other, name="contrastive_loss")


def triplet_semihard_loss(labels, embeddings, margin=1.0):
  """The mean over pairs of equal labels of max(0, d^2 - n^2 + margin): d is the distance of the pair, n that of the first one to the
  nearest one of another label beyond d, or to the farthest if there is none beyond.

  Schroff, Kalenichenko and Philbin, "FaceNet" (2015).
  """
  distances = _squared_distances(embeddings)
  is_same = _equal_labels(labels)
  is_other = tf.logical_not(is_same)
  far = tf.reduce_max(distances, axis=1, keepdims=True)
  # Element [a, p, n]: whether n is of another label and beyond p, seen from a.
  is_beyond = tf.logical_and(is_other[:, tf.newaxis, :], distances[:, tf.newaxis, :] > distances[:, :, tf.newaxis])
  ones = tf.ones_like(distances)[:, :, tf.newaxis] * distances[:, tf.newaxis, :]
  nearest = tf.reduce_min(tf.where(is_beyond, ones, far[:, :, tf.newaxis] + tf.zeros_like(ones)), axis=2)
  low = tf.reduce_min(distances, axis=1, keepdims=True)
  farthest = tf.reduce_max(tf.where(is_other, distances, low + tf.zeros_like(distances)), axis=1, keepdims=True)
  negative = tf.where(tf.reduce_any(is_beyond, axis=2), nearest, farthest + tf.zeros_like(nearest))
  pairs = tf.matrix_set_diag(tf.cast(is_same, distances.dtype), tf.zeros(tf.shape(distances)[:1], distances.dtype))
  losses = tf.maximum((margin + distances - negative) * pairs, 0.0)
  return tf.truediv(tf.reduce_sum(losses), tf.reduce_sum(pairs), name="triplet_semihard_loss")


def _regularization(anchor, positive, reg_lambda):
  anchor_norm = tf.reduce_mean(tf.reduce_sum(tf.square(anchor), 1))
  positive_norm = tf.reduce_mean(tf.reduce_sum(tf.square(positive), 1))
  return tf.multiply(0.25 * reg_lambda, anchor_norm + positive_norm, name="l2loss")


def _cross_entropy(similarity, target, print_losses, l2loss):
  target /= tf.reduce_sum(target, 1, keepdims=True)
  entropy = tf.nn.softmax_cross_entropy_with_logits(logits=similarity, labels=target)
  entropy = tf.reduce_mean(entropy, name="xentropy")
  if print_losses:
    entropy = tf.Print(entropy, ["cross entropy:", entropy, "l2loss:", l2loss])
  return l2loss + entropy


def npairs_loss(labels, embeddings_anchor, embeddings_positive, reg_lambda=0.002, print_losses=False):
  """The cross entropy of the similarities of each anchor to all positives, and of which have its label, plus the squared lengths of
  the embeddings times `reg_lambda`. `print_losses` prints both at each step.

  Sohn, "Improved deep metric learning with multi-class N-pair loss objective" (2016).
  """
  l2loss = _regularization(embeddings_anchor, embeddings_positive, reg_lambda)
  similarity = tf.matmul(embeddings_anchor, embeddings_positive, transpose_a=False, transpose_b=True)
  return _cross_entropy(similarity, tf.cast(_equal_labels(labels), dtypes.float32), print_losses, l2loss)


def npairs_loss_multilabel(sparse_labels, embeddings_anchor, embeddings_positive, reg_lambda=0.002, print_losses=False):
  """npairs_loss() of examples with several labels: positives count by how many labels they share with the anchor.

  `sparse_labels` is a list with a SparseTensor of 0 and 1 for each example.

  Raises:
    TypeError: for labels that are none.
  """
  if any(not isinstance(label, composite.SparseTensor) for label in sparse_labels):
    raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
  with name_scope("NpairsLossMultiLabel"):
    l2loss = _regularization(embeddings_anchor, embeddings_positive, reg_lambda)
    similarity = tf.matmul(embeddings_anchor, embeddings_positive, transpose_a=False, transpose_b=True)
    dense = tf.stack([tf.cast(tf.reshape(tf.sparse_tensor_to_dense(label), [-1]), dtypes.float32) for label in sparse_labels])
    shared = tf.matmul(dense, dense, transpose_b=True)
    return _cross_entropy(similarity, shared, print_losses, l2loss)


def lifted_struct_loss(labels, embeddings, margin=1.0):
  """The mean over pairs of equal labels, halved, of max(0, J)^2, where J is their distance plus the logarithm of the sum of
  exp(margin - distance) over those of other labels, seen from both.

  Song, Xiang, Jegelka and Savarese, "Deep metric learning via lifted structured feature embedding" (2016).
  """
  distances = _distances(embeddings)
  is_same = _equal_labels(labels)
  is_other = tf.cast(tf.logical_not(is_same), distances.dtype)
  gaps = margin - distances
  # The largest gap of both rows is taken out of the sums, so that these stay finite.
  low = tf.reduce_min(gaps, axis=1, keepdims=True)
  largest = tf.reduce_max(tf.where(is_other > 0, gaps, low + tf.zeros_like(gaps)), axis=1, keepdims=True)
  largest_of_both = tf.maximum(largest, tf.transpose(largest))
  sums = tf.reduce_sum(tf.exp(gaps[:, tf.newaxis, :] - largest_of_both[:, :, tf.newaxis]) * is_other[:, tf.newaxis, :], axis=2)
  both = sums + tf.transpose(sums)
  losses = largest_of_both + tf.log(both) + distances
  pairs = tf.matrix_set_diag(tf.cast(is_same, distances.dtype), tf.zeros(tf.shape(distances)[:1], distances.dtype))
  count = tf.reduce_sum(pairs) / 2.0
  return tf.truediv(0.25 * tf.reduce_sum(tf.square(tf.maximum(losses * pairs, 0.0))), count, name="liftedstruct_loss")
