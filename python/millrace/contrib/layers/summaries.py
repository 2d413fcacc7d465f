"""Summaries of tensors, of collections of them, and of what activations do."""

import functools
import re

import millrace as tf
from millrace.framework import graph as ops
from millrace.framework.graph import GraphKeys


def _scalar(tensor, tag=None):
  tensor.get_shape().assert_has_rank(0)
  return tf.summary.scalar(tag or "%s_summary" % tensor.op.name, tensor)


def _histogram(tensor, tag=None):
  return tf.summary.histogram(tag or "%s_summary" % tensor.op.name, tensor)


def summarize_activation(op):
  """Returns a histogram of an activation's outputs; for relu, relu6 and softplus also says which part of them is at a bound."""
  if op.op.type in ("Relu", "Softplus", "Relu6"):
    inputs = op.op.inputs[0]
    zeros = tf.cast(tf.less(inputs, tf.cast(0.0, inputs.dtype)), tf.float32)
    _scalar(tf.reduce_mean(zeros), "%s/zeros" % op.op.name)
  if op.op.type == "Relu6":
    inputs = op.op.inputs[0]
    sixes = tf.cast(tf.greater(inputs, tf.cast(6.0, inputs.dtype)), tf.float32)
    _scalar(tf.reduce_mean(sixes), "%s/sixes" % op.op.name)
  return _histogram(op, "%s/activation" % op.op.name)


def summarize_tensor(tensor, tag=None):
  """Returns a summary of a scalar, or a histogram of any other tensor; `tag` is by default the name of its op."""
  return _scalar(tensor, tag) if tensor.get_shape().ndims == 0 else _histogram(tensor, tag)


def summarize_tensors(tensors, summarizer=summarize_tensor):
  """Returns the summaries of several tensors."""
  return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
  """Returns the summaries of the tensors of a collection, of those whose names begin as the pattern `name_filter` says."""
  tensors = [t for t in ops.get_collection(collection) if name_filter is None or re.match(name_filter, t.op.name)]
  return summarize_tensors(tensors, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
  """Returns the summaries of the collection ACTIVATIONS."""
  return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
