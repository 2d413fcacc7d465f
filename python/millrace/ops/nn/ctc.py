"""Connectionist temporal classification: losses and decoders of sequences without alignment."""

import millrace as tf
from millrace import gen
from millrace.framework import composite, convert, dtypes, tensor_shape
from millrace.framework import graph as ops
from millrace.framework.deprecation import deprecated_argument_lookup


def ctc_loss(
  labels,
  inputs=None,
  sequence_length=None,
  preprocess_collapse_repeated=False,
  ctc_merge_repeated=True,
  ignore_longer_outputs_than_inputs=False,
  time_major=True,
  logits=None,
):
  """Returns the negative log probability of each label sequence: [batch].

  labels: SparseTensor of int32, [batch, time]; inputs: logits [time, batch, classes], or [batch, time, classes] where
  `time_major` is False; the last class is the blank. TypeError for labels that are not sparse.
  """
  return loss_of_sparse(
    labels,
    deprecated_argument_lookup("logits", logits, "inputs", inputs),
    sequence_length,
    time_major,
    preprocess_collapse_repeated=preprocess_collapse_repeated,
    ctc_merge_repeated=ctc_merge_repeated,
    ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
  )


def loss_of_sparse(labels, logits, sequence_length, time_major=True, **attributes):
  """The loss by the op; `attributes` are those of the op. TypeError for labels that are not sparse."""
  if not isinstance(labels, composite.SparseTensor):
    raise TypeError(f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {type(labels).__name__}")
  logits = convert.convert_to_tensor(logits, name="logits")
  if not time_major:
    logits = tf.transpose(logits, [1, 0, 2])
  return gen.ctc_loss(logits, labels.indices, labels.values, sequence_length, **attributes)[0]


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
  """Returns ([decoded], negative sums of the greatest logits): the best class of each step, [time, batch, classes]."""
  found = gen.ctc_greedy_decoder(inputs, sequence_length, merge_repeated=merge_repeated)
  indices, values, shape, log_probabilities = found
  return [composite.SparseTensor(indices, values, shape)], log_probabilities


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
  """Returns (list of the `top_paths` best sequences, their log probabilities [batch, top_paths])."""
  indices, values, shapes, log_probabilities = gen.ctc_beam_search_decoder(
    inputs, sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=merge_repeated
  )
  return [composite.SparseTensor(*parts) for parts in zip(indices, values, shapes)], log_probabilities


def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
  """Returns ctc_beam_search_decoder() without merging what is repeated in the output."""
  return ctc_beam_search_decoder(inputs, sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=False)


def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None):
  """Returns the negative log probability of each label sequence, with any class as the blank: `blank_index`.

  labels: a SparseTensor, or [batch, time] with the lengths `label_length`, where the blank is class 0 by default. For sparse
  labels `blank_index` is needed: ValueError without. `unique` makes nothing faster here, and is not used.
  """
  if not isinstance(labels, composite.SparseTensor):
    from millrace.ops.nn import ctc_dense

    blank_index = 0 if blank_index is None else blank_index
    return ctc_dense.loss(labels, logits, label_length, logit_length, logits_time_major, blank_index, name)
  if blank_index is None:
    raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
  logits = convert.convert_to_tensor(logits, name="logits")
  if blank_index < 0:
    blank_index += size_of(logits, 2)
  if blank_index != size_of(logits, 2) - 1:
    logits = with_blank_last(logits, blank_index)
    values = tf.where(labels.values < blank_index, labels.values, labels.values - 1)
    labels = composite.SparseTensor(labels.indices, values, labels.dense_shape)
  return loss_of_sparse(labels, logits, logit_length, logits_time_major)


def with_blank_last(logits, blank_index):
  """Returns the logits with the class `blank_index`, which is not negative, as the last one, which is the op's blank."""
  return tf.concat(
    [
      logits[:, :, :blank_index],
      logits[:, :, blank_index + 1 :],
      logits[:, :, blank_index : blank_index + 1],
    ],
    axis=2,
  )


def size_of(tensor, axis):
  """Returns the size of a dimension: a number where it is known."""
  known = tensor_shape.dimension_value(tensor.get_shape()[axis]) if tensor.get_shape().ndims is not None else None
  return known or tf.shape(tensor)[axis]


def collapse_repeated(labels, seq_length, name=None):
  """Returns (labels without repetitions of the one before, their lengths), [batch, longest] and [batch]."""
  with ops.name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
    labels = convert.convert_to_tensor(labels, name="labels")
    seq_length = convert.convert_to_tensor(seq_length, name="seq_length")
    # An element is kept that is the first, or another than the one before, and inside of the sequence.
    kept = tf.concat([tf.ones_like(labels[:, :1], dtypes.bool), tf.not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
    kept = tf.logical_and(kept, tf.sequence_mask(seq_length, maxlen=size_of(labels, 1)))
    new_length = tf.reduce_sum(tf.cast(kept, dtypes.int32), axis=1)
    new_longest = tf.reduce_max(new_length)
    new_mask = tf.sequence_mask(new_length, maxlen=new_longest)
    flat = tf.reshape(labels, [-1])
    flat_kept = tf.reshape(kept, [-1])
    flat_new = tf.reshape(new_mask, [-1])
    positions = tf.range(size_of(flat_new, 0))
    scattered = tf.scatter_nd(
      indices=tf.expand_dims(tf.boolean_mask(positions, flat_new), axis=1),
      updates=tf.boolean_mask(flat, flat_kept),
      shape=tf.shape(flat_new),
    )
    batch = size_of(labels, 0)
    return tf.reshape(scattered, [batch, new_longest]), tf.cast(new_length, seq_length.dtype)


def ctc_unique_labels(labels, name=None):
  """Returns (distinct labels of each row, padded with zeros; index of each label among them), both [batch, time]."""
  with ops.name_scope(name, "ctc_unique_labels", [labels]):
    labels = convert.convert_to_tensor(labels, name="labels")

    def of_row(row):
      distinct, positions = gen.unique(row)
      padded = tf.pad(distinct, [[0, size_of(positions, 0) - tf.shape(distinct)[0]]])
      return [tf.cast(padded, dtypes.int64), positions]

    return tf.map_fn(of_row, labels, dtype=[dtypes.int64, dtypes.int32])
