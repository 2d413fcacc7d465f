"""Summary ops whose tags are tensors or texts apart from names."""

import millrace as tf
from millrace import gen
from millrace.framework.deprecation import deprecated
from millrace.summary import summary_ops


def _collected(summary, collections):
  summary_ops.collect(summary, collections, [tf.GraphKeys.SUMMARIES])
  return summary


@deprecated("2016-11-30", "Please switch to tf.summary.audio.")
def audio_summary(tag, tensor, sample_rate, max_outputs=3, collections=None, name=None):
  """A summary of sounds [batch, frames, channels] or [batch, frames]; `sample_rate` in Hz."""
  with tf.name_scope(name, "AudioSummary", [tag, tensor]) as scope:
    rate = tf.convert_to_tensor(sample_rate, dtype=tf.float32, name="sample_rate")
    return _collected(gen.audio_summary_v2(tag, tensor, rate, max_outputs=max_outputs, name=scope), collections)


@deprecated("2016-11-30", "Please switch to tf.summary.histogram.")
def histogram_summary(tag, values, collections=None, name=None):
  """A summary of a tensor's values by their frequency."""
  with tf.name_scope(name, "HistogramSummary", [tag, values]) as scope:
    return _collected(gen.histogram_summary(tag, values, name=scope), collections)


@deprecated("2016-11-30", "Please switch to tf.summary.image.")
def image_summary(tag, tensor, max_images=3, collections=None, name=None):
  """A summary of images [batch, height, width, channels], of the first `max_images` of them."""
  with tf.name_scope(name, "ImageSummary", [tag, tensor]) as scope:
    return _collected(gen.image_summary(tag, tensor, max_images=max_images, name=scope), collections)


@deprecated("2016-11-30", "Please switch to tf.summary.scalar.")
def scalar_summary(tags, values, collections=None, name=None):
  """A summary of numbers, one for each of `tags`, which have the same shape."""
  with tf.name_scope(name, "ScalarSummary", [tags, values]) as scope:
    return _collected(gen.scalar_summary(tags, values, name=scope), collections)


@deprecated("2016-11-30", "Please switch to tf.summary.merge.")
def merge_summary(inputs, collections=None, name=None):
  """One summary of several."""
  with tf.name_scope(name, "MergeSummary", inputs):
    summary = gen.merge_summary(inputs=inputs, name=name)
    summary_ops.collect(summary, collections, [])
    return summary


@deprecated("2016-11-30", "Please switch to tf.summary.merge_all.")
def merge_all_summaries(key=tf.GraphKeys.SUMMARIES):
  """One summary of all of a collection, or None if it is empty."""
  summaries = tf.get_collection(key)
  return merge_summary(summaries) if summaries else None
