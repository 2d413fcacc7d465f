"""The ranges of a network's activations: what calibration batches show of them."""

import numpy as np

from millrace.parallel.quantizable_layers import tensor_name
from millrace.parallel.tensorflow_in_use import tf


class Ranges:
  """`ends` has (smallest, largest) of each tensor by its name, `sizes` the last size of its shape."""

  def __init__(self):
    self.ends, self.sizes = {}, {}

  def add(self, name, values, percentile, batch):
    if not np.all(np.isfinite(values)):
      raise ValueError(
        "%s has NaN or infinite numbers in calibration batch %d: a network in 8 bits needs a range" % (name, batch)
      )
    low, high = self.ends.get(name, (np.inf, -np.inf))
    if values.size:
      if percentile == 100:
        ends = values.min(), values.max()
      else:
        ends = np.percentile(values, [100 - percentile, percentile])
      low, high = min(low, float(ends[0])), max(high, float(ends[1]))
    self.ends[name] = low, high
    self.sizes[name] = values.shape[-1] if values.ndim else 1


def find(names, calibration, session, percentile):
  """Runs the network on each batch, a dictionary of feeds, and returns the Ranges of the tensors named.

  Of each batch the percentiles count, and of all batches the widest. ValueError without a batch, or if no batch has an example.
  """
  fetches = {name: name if ":" in name else name + ":0" for name in names}
  ranges = Ranges()
  count = 0
  for feeds in calibration:
    if not isinstance(feeds, dict):
      raise TypeError('Each calibration batch is a dictionary of feeds, such as {"images:0": array}, not %r' % (feeds,))
    feeds = {_feed_name(key): value for key, value in feeds.items()}
    for name, values in session.run(fetches, feeds).items():
      ranges.add(name, values, percentile, count)
    count += 1
  if count == 0:
    raise ValueError("calibration has no batch: give one dictionary of feeds or more, with examples as the network will see them")
  empty = [name for name, (low, high) in ranges.ends.items() if not low <= high]
  if empty:
    raise ValueError("calibration has no example: %s had no number in any batch" % ", ".join(sorted(empty)))
  return ranges


def in_process(graph_def):
  """A session of this process on a graph of its own with these nodes."""
  graph = tf().Graph()
  with graph.as_default():
    tf().import_graph_def(graph_def, name="")
  return tf().Session(graph=graph)


def _feed_name(key):
  name = tensor_name(key)
  return name if ":" in name else name + ":0"
