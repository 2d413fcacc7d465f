"""Summary ops: nodes whose strings are Summary messages."""

import re

import millrace as tf
from millrace import gen
from millrace.framework import protos

_INVALID = re.compile(r"[^-/\w\.]")


def clean_tag(name):
  """`name` without what a scope's name can't have; says so if something was changed."""
  if name is None:
    return name
  new_name = _INVALID.sub("_", name)
  new_name = new_name.lstrip("/")
  if new_name != name:
    tf.logging.info("Summary name %s is illegal; using %s instead.", name, new_name)
  return new_name


class summary_scope:
  """Enters the name scope of a summary; gives its tag and its scope.

  A family stands before the name, and once more before the tag, so that TensorBoard groups by it.
  """

  def __init__(self, name, family=None, default_name=None, values=None):
    name = clean_tag(name)
    family = clean_tag(family)
    base = name if family is None else f"{family}/{name}"
    self._family = family
    self._scope = tf.name_scope(base, default_name, values)

  def __enter__(self):
    scope = self._scope.__enter__()
    if self._family is None:
      return scope.rstrip("/"), scope
    return f"{self._family}/{scope.rstrip('/')}", scope

  def __exit__(self, *exc_info):
    return self._scope.__exit__(*exc_info)


def skip_summary():
  """False: of several replicas of one program, only the first would write summaries, and there is one."""
  return False


def collect(value, collections, default_collections):
  """Adds `value` to the collections, or to the default ones."""
  if collections is None:
    collections = default_collections
  for key in collections:
    tf.add_to_collection(key, value)


def scalar(name, tensor, collections=None, family=None):
  """A summary of a scalar."""
  with summary_scope(name, family, values=[tensor]) as (tag, scope):
    value = gen.scalar_summary(tag, tensor, name=scope)
    collect(value, collections, [tf.GraphKeys.SUMMARIES])
  return value


def histogram(name, values, collections=None, family=None):
  """A summary of a tensor's values by their frequency."""
  with summary_scope(name, family, values=[values], default_name="HistogramSummary") as (tag, scope):
    value = gen.histogram_summary(tag, values, name=scope)
    collect(value, collections, [tf.GraphKeys.SUMMARIES])
  return value


def image(name, tensor, max_outputs=3, collections=None, family=None):
  """A summary of images [batch, height, width, 1, 3 or 4 channels], of the first `max_outputs` of them."""
  with summary_scope(name, family, values=[tensor]) as (tag, scope):
    value = gen.image_summary(tag, tensor, max_images=max_outputs, name=scope)
    collect(value, collections, [tf.GraphKeys.SUMMARIES])
  return value


def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
  """A summary of sounds [batch, frames] or [batch, frames, channels] in -1 to 1; `sample_rate` in Hz."""
  with summary_scope(name, family=family, values=[tensor]) as (tag, scope):
    sample_rate = tf.convert_to_tensor(sample_rate, dtype=tf.float32, name="sample_rate")
    value = gen.audio_summary_v2(tag, tensor, sample_rate, max_outputs=max_outputs, name=scope)
    collect(value, collections, [tf.GraphKeys.SUMMARIES])
  return value


def tensor_summary(
  name,
  tensor,
  summary_description=None,
  collections=None,
  summary_metadata=None,
  family=None,
  display_name=None,
):
  """A summary of any tensor, for a plugin of TensorBoard that the metadata names."""
  metadata = protos.SummaryMetadata()
  if summary_metadata is not None:
    metadata.CopyFrom(protos.coerce(protos.SummaryMetadata, summary_metadata))
  if display_name is not None:
    metadata.display_name = display_name
  if summary_description is not None:
    metadata.summary_description = summary_description
  with summary_scope(name, family, values=[tensor]) as (tag, scope):
    value = gen.tensor_summary_v2(
      tensor=tensor,
      tag=tag,
      name=scope,
      serialized_summary_metadata=metadata.SerializeToString(),
    )
    collect(value, collections, [tf.GraphKeys.SUMMARIES])
  return value


def text(name, tensor, collections=None):
  """A summary of texts, as Markdown. Raises ValueError for other types than strings."""
  tensor = tf.convert_to_tensor(tensor)
  if tensor.dtype != tf.string:
    raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
  metadata = protos.SummaryMetadata(plugin_data=protos.SummaryMetadata.PluginData(plugin_name="text"))
  return tensor_summary(name=name, tensor=tensor, summary_metadata=metadata, collections=collections)


def merge(inputs, collections=None, name=None):
  """One summary of several, which are tensors of summary ops."""
  name = clean_tag(name)
  with tf.name_scope(name, "Merge", inputs):
    value = gen.merge_summary(inputs=inputs, name=name)
    collect(value, collections, [])
  return value


def merge_all(key="summaries", scope=None, name=None):
  """One summary of all of a collection, or None if it is empty."""
  summaries = tf.get_collection(key, scope=scope)
  return merge(summaries, name=name) if summaries else None


def get_summary_description(node_def):
  """The SummaryDescription of a TensorSummary node. Raises ValueError for other nodes."""
  if node_def.op != "TensorSummary":
    raise ValueError(f"Can't get_summary_description on {node_def.op}")
  from google.protobuf import json_format

  description = protos.SummaryDescription()
  json_format.Parse(tf.compat.as_str_any(node_def.attr["description"].s), description)
  return description
