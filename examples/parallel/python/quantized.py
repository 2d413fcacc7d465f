"""A trained network in 8 bits: its size, how often it is right, and how many queries a second it answers in this process.

The network has three layers of 1,024 units. It is trained as floats, and `parallel.quantized_graph` makes its weights and the
outputs of its units 8-bit integers: some batches of the training images show which ranges they need. Both networks then answer
the test images, in turns of a fraction of a second, so that whatever else the machine does slows down both. No cluster is needed.
"""

import math
import time

import arguments
import classifier
import images
import numpy as np
import tensorflow.compat.v1 as tf
from picture import Picture
from table import Figure, Table, count, percent, size

from millrace import parallel

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

TRAIN_BATCH = 100
CALIBRATION_BATCHES = 10
BATCH = 64
# What 8 bits have to be worth on a processor with dot products of bytes.
LEAST_FASTER, MOST_LOST, MOST_SIZE = 1.5, 0.01, 0.26


def train(network, data, steps):
  """(session, placeholder of images, logits): the network in this process, trained."""
  graph = tf.Graph()
  with graph.as_default():
    pixels, labels = classifier.placeholders()
    variables = network.variables()
    logits = tf.identity(classifier.logits(variables, pixels), name="logits")
    step = tf.train.MomentumOptimizer(0.02, 0.9).minimize(classifier.cross_entropy(logits, labels))
    session = tf.Session(graph=graph)
    session.run(tf.global_variables_initializer())
  for number in range(steps):
    batch, right = classifier.batch_of(data, number, TRAIN_BATCH)
    session.run(step, {pixels: batch, labels: right})
  return session, pixels, logits


class Served:
  """A graph that answers queries: constants, and no variables."""

  def __init__(self, name, graph_def):
    self.name = name
    self.bytes = sum(_bytes(node) for node in graph_def.node)
    graph = tf.Graph()
    with graph.as_default():
      tf.import_graph_def(graph_def, name="")
    self._session = tf.Session(graph=graph)
    self._answer = self._session.make_callable("logits:0", ["images:0"])
    self.rates = {}

  def accuracy(self, data):
    right = [
      self._answer(data.test[i : i + 500]).argmax(1) == data.test_labels[i : i + 500] for i in range(0, len(data.test), 500)
    ]
    return float(np.mean(np.concatenate(right)))

  def window(self, data, batch, limit):
    """Answers queries in batches for some seconds, and notes how many a second."""
    answered, begin = 0, time.perf_counter()
    while True:
      at = answered % (len(data.test) - batch)
      self._answer(data.test[at : at + batch])
      answered += batch
      took = time.perf_counter() - begin
      if took >= limit:
        break
    self.rates.setdefault(batch, []).append(answered / took)

  def rate(self, batch):
    return float(np.median(self.rates[batch]))


def _bytes(node):
  """Of a constant."""
  if node.op != "Const":
    return 0
  sizes = [dim.size for dim in node.attr["value"].tensor.tensor_shape.dim]
  return math.prod(sizes) * tf.as_dtype(node.attr["dtype"].type).size


def compare(networks, data, windows, limit):
  for batch in (BATCH, 1):
    for network in networks:
      network.window(data, batch, limit)  # the first is longer, and does not count
      network.rates[batch].clear()
    for _ in range(windows):
      for network in networks:
        network.window(data, batch, limit)


def verdict(floats, bytes_, lost):
  """What the figures say, in full runs by Millrace's kernels."""
  faster = bytes_.rate(BATCH) / floats.rate(BATCH)
  found = [
    ("accuracy within 1 %% of that in float: %+.2f %%" % (-100 * lost), lost <= MOST_LOST),
    ("a quarter of the size: %.3f" % (bytes_.bytes / floats.bytes), bytes_.bytes <= MOST_SIZE * floats.bytes),
    ("at least %g times the queries/s in batches of %d: %.2f" % (LEAST_FASTER, BATCH, faster), faster >= LEAST_FASTER),
  ]
  return "\n".join("%s %s" % ("pass" if good else "fail", what) for what, good in found)


def main():
  args = arguments.parse(__doc__)
  hidden = [128, 128] if args.small else [1024, 1024, 1024]
  data = images.load(args.data, args.small)
  print("training on %s ..." % data.source, flush=True)
  session, pixels, logits = train(classifier.Classifier(hidden), data, 200 if args.small else 2_000)
  with session:
    frozen = tf.graph_util.convert_variables_to_constants(session, session.graph.as_graph_def(), ["logits"])
    batches = [{pixels: classifier.batch_of(data, number, TRAIN_BATCH)[0]} for number in range(CALIBRATION_BATCHES)]
    quantized, report = parallel.quantized_graph(None, [logits], batches, session=session)
  print(report, flush=True)
  networks = floats, bytes_ = Served("float", frozen), Served("8 bits", quantized)
  compare(networks, data, *((3, 0.05) if args.small else (9, 0.5)))
  accuracies = [network.accuracy(data) for network in networks]
  is_ours = tf.__spec__.name.partition(".")[0] == "millrace"
  table = Table(
    "A network in 8 bits",
    "Layers of %s units, answered by the kernels of %s in this process, on %s: the median of windows in turns."
    % (", ".join(map(str, hidden)), "Millrace" if is_ours else "TensorFlow", data.source),
  )
  for network, accuracy in zip(networks, accuracies):
    table.add(
      network=network.name,
      size=size(network.bytes),
      accuracy=percent(accuracy),
      **{
        "queries/s, batches of %d" % BATCH: count(network.rate(BATCH)),
        "queries/s, one at a time": count(network.rate(1)),
        "of float's": Figure(network.rate(BATCH) / floats.rate(BATCH), "%.2f"),
      },
    )
  table.show(args.out)
  if not args.small and is_ours:
    print(verdict(floats, bytes_, accuracies[0] - accuracies[1]), flush=True)
  picture = Picture("A network in 8 bits")
  picture.bars({network.name: network.rate(BATCH) for network in networks}, "queries/s in batches of %d" % BATCH)
  picture.bars({network.name: network.bytes / 1e6 for network in networks}, "MB of constants")
  picture.write(args.out, "quantized")


if __name__ == "__main__":
  main()
