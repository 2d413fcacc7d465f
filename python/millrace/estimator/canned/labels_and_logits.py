"""Checks of labels and logits, which have to fit each other and the classes."""

import millrace as tf


def check_logits(logits, dimension):
  """Returns logits as floats, checked when a step runs to be [D0, ..., DN, dimension]; ValueError where it is known already."""
  with tf.name_scope(None, "logits", [logits]) as scope:
    logits = tf.cast(logits, tf.float32)
    shape = tf.shape(logits)
    rank_check = tf.assert_rank_at_least(
      logits,
      2,
      data=[shape],
      message="logits shape must be [D0, D1, ... DN, logits_dimension]",
    )
    with tf.control_dependencies([rank_check]):
      known = logits.get_shape()
      if known.ndims is not None and known.as_list()[-1] is not None:
        if known.as_list()[-1] != dimension:
          raise ValueError(f"logits shape must be [D0, D1, ... DN, logits_dimension], got {known}.")
        return logits
      check = tf.assert_equal(
        dimension, shape[-1], data=[shape], message="logits shape must be [D0, D1, ... DN, logits_dimension]"
      )
      with tf.control_dependencies([check]):
        return tf.identity(logits, name=scope)


def check_given(labels):
  """Raises ValueError if there are no labels."""
  if labels is None:
    raise ValueError(
      "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data contain your label "
      "feature. Check that your input_fn properly parses and returns labels."
    )


def fitted(labels, logits, dimension):
  """Returns dense labels as [D0, ..., DN, dimension], as the logits are: labels of one dimension less get one.

  Raises ValueError for sparse labels, for none and for another size, as far as it is known; otherwise it is checked when a step
  runs.
  """
  check_given(labels)
  with tf.name_scope(None, "labels", [labels, logits]) as scope:
    labels = _as_tensor(labels)
    if isinstance(labels, tf.SparseTensor):
      raise ValueError(
        f"SparseTensor labels are not supported. labels must be a Tensor of shape [D0, D1, ..., DN, {dimension}], e.g. "
        f"[batch_size, {dimension}]. Suggested Fix (1): Check the label feature in your data. Each example must contain "
        f"{dimension} value(s). If not, your choice of label was probably incorrect. Suggested Fix (2): In your input_fn, use "
        "tf.sparse_tensor_to_dense() to turn labels into a Tensor."
      )
    known, of_logits = labels.get_shape(), logits.get_shape()
    if known.ndims is not None and of_logits.ndims is not None and known.ndims != of_logits.ndims:
      if known.ndims == of_logits.ndims - 1:
        labels = tf.expand_dims(labels, -1)
        known = labels.get_shape()
    shape = tf.shape(labels)
    logits_shape = tf.shape(logits)
    words = f"labels shape must be [D0, D1, ... DN, {dimension}]."
    with tf.control_dependencies([tf.assert_rank_at_least(labels, 2, message=words)]):
      if known.ndims is not None:
        last = known.as_list()[-1] if known.ndims else None
        if last is not None and last != dimension:
          raise ValueError(
            f"Mismatched label shape. Expected labels dimension={dimension}.  Received {last}. Suggested Fix:If your classifier "
            "expects one-hot encoding label,check your n_classes argument to the estimator and/or the shape of your label. "
            "Otherwise, check the shape of your label."
          )
      expected = tf.concat([logits_shape[:-1], [dimension]], axis=0)
      check = tf.assert_equal(
        expected,
        shape,
        message=words,
        data=["expected_labels_shape: ", expected, "labels_shape: ", shape],
      )
      with tf.control_dependencies([check]):
        return tf.identity(labels, name=scope)


def _as_tensor(labels):
  return tf.convert_to_tensor_or_sparse_tensor(labels)


def in_range(labels, n_classes, message=None):
  """Returns labels, checked when a step runs to be from 0 to n_classes - 1."""
  with tf.name_scope(None, "assert_range", [labels]):
    below = tf.assert_less_equal(
      labels,
      tf.convert_to_tensor(n_classes - 1, dtype=labels.dtype),
      message=message or "Labels must <= n_classes - 1",
    )
    above = tf.assert_non_negative(labels, message=message or "Labels must >= 0")
    with tf.control_dependencies([below, above]):
      return tf.identity(labels)


def check_words(label_vocabulary, n_classes=None):
  """Raises ValueError for a vocabulary of labels that is none, or has another number of words than there are classes."""
  if not isinstance(label_vocabulary, (list, tuple)):
    raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}")  # noqa: TRY004
  if n_classes is not None and len(label_vocabulary) != n_classes:
    raise ValueError(
      f'"label_vocabulary" does not have "n_classes" items. n_classes={n_classes} vs. len(label_vocabulary)='
      f"{len(label_vocabulary)}"
    )


def as_words(class_ids, label_vocabulary):
  """Returns names of classes: those of the vocabulary, or the numbers as texts."""
  if not label_vocabulary:
    return tf.as_string(class_ids, name="str_classes")
  from millrace.ops.lookup import index_tables

  table = index_tables.index_to_string_table_from_tensor(vocabulary_list=label_vocabulary, name="class_string_lookup")
  return table.lookup(class_ids)


def as_ids(labels, label_vocabulary):
  """Returns the int64 numbers of labels that are words of a vocabulary; -1 for others."""
  from millrace.ops.lookup import index_tables

  table = index_tables.index_table_from_tensor(vocabulary_list=tuple(label_vocabulary), name="class_id_lookup")
  return table.lookup(labels)
