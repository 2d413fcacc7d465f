"""Parts of what heads predict and export."""

import millrace as tf


def all_classes(logits, n_classes, label_vocabulary):
  """Returns the predictions that say for each example which classes there are: their numbers and their words."""
  batch_size = tf.shape(logits)[0]
  ids = tf.tile(tf.expand_dims(tf.range(n_classes), axis=0), [batch_size, 1])
  return {"all_class_ids": ids, "all_classes": words(logits, n_classes, label_vocabulary)}


def words(logits, n_classes, label_vocabulary):
  """Returns the words of all classes, or their numbers as texts, for each example."""
  batch_size = tf.shape(logits)[0]
  found = tf.constant(label_vocabulary) if label_vocabulary else tf.as_string(tf.range(n_classes))
  return tf.tile(input=tf.expand_dims(input=found, axis=0), multiples=[batch_size, 1])


def classification(probabilities, n_classes, label_vocabulary):
  """Returns the ClassificationOutput of probabilities [batch, n_classes], with the words of classes at each example."""
  found = words(probabilities, n_classes, label_vocabulary)
  return tf.estimator.export.ClassificationOutput(scores=probabilities, classes=found)
