"""slim.summaries: summaries under the names of their tensors."""

import millrace as tf


def _name(tensor, name, prefix, postfix=None):
  name = name or tensor.op.name
  if prefix:
    name = prefix + "/" + name
  return name + "/" + postfix if postfix else name


def _collected(summary, tensor, name, print_summary):
  """Adds a summary to the collection SUMMARIES; with `print_summary` one that prints the tensor whenever it is made."""
  if print_summary:
    summary = tf.Print(summary, [tensor], name)
  tf.add_to_collection(tf.GraphKeys.SUMMARIES, summary)
  return summary


def add_histogram_summary(tensor, name=None, prefix=None):
  """Adds a histogram, called like the tensor or `name`, below `prefix`."""
  return tf.summary.histogram(_name(tensor, name, prefix), tensor)


def add_histogram_summaries(tensors, prefix=None):
  return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summary(tensor, name=None, prefix=None, print_summary=False):
  """Adds a summary of images, called like the tensor or `name`, below `prefix`; printed whenever it is made if asked."""
  name = _name(tensor, name, prefix)
  return _collected(tf.summary.image(name, tensor, collections=[]), tensor, name, print_summary)


def add_image_summaries(tensors, prefix=None):
  return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summary(tensor, name=None, prefix=None, print_summary=False):
  """Adds a summary of a scalar, called like the tensor or `name`, below `prefix`; printed whenever it is made if asked."""
  name = _name(tensor, name, prefix)
  return _collected(tf.summary.scalar(name, tensor, collections=[]), tensor, name, print_summary)


def add_scalar_summaries(tensors, prefix=None, print_summary=False):
  return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summary(tensor, name=None, prefix=None, print_summary=False):
  """Adds a summary of the share of zeros, called NAME/Fraction_of_Zero_Values."""
  name = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
  fraction = tf.nn.zero_fraction(tensor)
  return _collected(tf.summary.scalar(name, fraction, collections=[]), fraction, name, print_summary)


def add_zero_fraction_summaries(tensors, prefix=None):
  return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
