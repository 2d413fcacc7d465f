"""The metrics of evaluations, read again from their files of events."""

import collections
import os

import millrace as tf


def _simple_values(path):
  """Yields (step, map of tags to numbers) of the events of a file; what can't be read any more is the file's end."""
  try:
    for event in tf.train.summary_iterator(path):
      if event.HasField("summary"):
        values = {value.tag: value.simple_value for value in event.summary.value if value.HasField("simple_value")}
        if values:
          yield event.step, values
  except tf.errors.DataLossError:
    tf.logging.warning("The file of events %s ends in the middle of a record.", path)


def by_step(pattern):
  """The metrics of all files of a pattern: an ordered map of steps to maps of metrics."""
  found = {}
  for path in sorted(tf.gfile.Glob(pattern)):
    for step, values in _simple_values(path):
      found.setdefault(step, {}).update(values)
  return collections.OrderedDict(sorted(found.items()))


def read_eval_metrics(eval_dir):
  """The metrics that were written into a folder of evaluations: an ordered map of steps to maps of metrics."""
  return by_step(os.path.join(eval_dir, "*tfevents*")) if tf.gfile.IsDirectory(eval_dir) else collections.OrderedDict()
