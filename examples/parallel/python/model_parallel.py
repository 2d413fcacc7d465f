"""Model parallelism: parts of one network on two workers of one core each, in several forms, beside the same network on one of them.

Dense layers: layer by layer, as a pipeline of micro-batches, and in vertical slices. A convolutional network: the filters of each layer
in chunks. A deep recurrent network: each layer on a worker of its own, one a step of time behind the other. Each form makes the same
values, but for the order of sums; the picture shows what each worker does during a step of the pipeline.
"""

import time
import zlib

import arguments
import numpy as np
import tensorflow.compat.v1 as tf
import training
from classifier import batch_of, cross_entropy
from cluster import Cluster
from images import CLASSES, PIXELS, load
from picture import COLOURS, Picture
from table import Figure, Table, seconds

from millrace import parallel

WORKERS = ["/job:worker/task:0", "/job:worker/task:1"]
SIDE = 28


class Options:
  def __init__(self, is_small):
    self.batch = 32 if is_small else 1024
    self.units = 24 if is_small else 1024
    self.filters = [4, 8] if is_small else [32, 64]
    self.cells = 8 if is_small else 256
    self.conv_batch = 8 if is_small else 128
    self.recurrent_batch = 16 if is_small else 256
    self.micro_batches = 4
    self.steps = 3 if is_small else 12


def initial(name, shape):
  """The initial value of a variable, by its name, so that each form has the same."""
  random = np.random.RandomState(zlib.crc32(name.encode()))
  inputs = int(np.prod(shape[:-1]))
  return (random.standard_normal(shape) * np.sqrt(2 / inputs)).astype(np.float32)


def initializer(name):
  """Gives each part of a cut variable its part of the initial value."""

  def initialize(shape, dtype=None, partition_info=None):
    if partition_info is None:
      return initial(name, [int(n) for n in shape])
    whole = initial(name, [int(n) for n in partition_info.full_shape])
    return whole[tuple(slice(begin, begin + int(n)) for begin, n in zip(partition_info.var_offset, shape))]

  return initialize


def dense(x, units, name, activation=None):
  with tf.variable_scope(name):
    kernel = tf.get_variable("kernel", [int(x.shape[-1]), units], initializer=initializer(name))
    bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
  y = tf.matmul(x, kernel) + bias
  return activation(y) if activation else y


def conv2d(x, filters, name):
  with tf.variable_scope(name):
    kernel = tf.get_variable("kernel", [3, 3, int(x.shape[-1]), filters], initializer=initializer(name))
    bias = tf.get_variable("bias", [filters], initializer=tf.zeros_initializer())
  return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"), bias))


def floats(images):
  return tf.cast(images, tf.float32) / 255.0


class DenseForms:
  """Two hidden layers and the classes."""

  title = "dense layers"

  def __init__(self, options):
    self.units, self.micro_batches, self.batch = options.units, options.micro_batches, options.batch

  def forms(self):
    return {
      "on one worker": self.on_one,
      "layer by layer": self.by_layer,
      "pipeline of %d micro-batches" % self.micro_batches: self.as_pipeline,
      "vertical slices": self.in_slices,
    }

  def lower(self, both):
    images, labels = both
    return dense(floats(images), self.units, "hidden1", tf.nn.relu), labels

  def upper(self, both):
    h, labels = both
    return cross_entropy(dense(dense(h, self.units, "hidden2", tf.nn.relu), CLASSES, "logits"), labels)

  def on_one(self, images, labels):
    with tf.device(WORKERS[0]):
      return self.upper(self.lower((images, labels)))

  def by_layer(self, images, labels):
    with tf.device(WORKERS[0]):
      both = self.lower((images, labels))
    with tf.device(WORKERS[1]):
      return self.upper(both)

  def as_pipeline(self, images, labels):
    return parallel.pipeline([self.lower, self.upper], WORKERS, (images, labels), self.micro_batches)

  def in_slices(self, images, labels):
    """The second layer is by its inputs, so between the two a worker takes its own half on."""
    with tf.device(WORKERS[0]):
      parts = parallel.split_dense(
        floats(images),
        self.units,
        WORKERS,
        activation=tf.nn.relu,
        kernel_initializer=initializer("hidden1"),
        join=False,
        name="hidden1",
      )
      h = parallel.split_dense(
        parts, self.units, WORKERS, activation=tf.nn.relu, by="inputs", kernel_initializer=initializer("hidden2"), name="hidden2"
      )
      return cross_entropy(dense(h, CLASSES, "logits"), labels)


class ConvolutionForms:
  """Two layers of filters and the classes."""

  title = "filters of images"

  def __init__(self, options):
    self.filters, self.batch = options.filters, options.conv_batch

  def forms(self):
    return {"on one worker": self.on_one, "chunks": self.in_chunks}

  def on_one(self, images, labels):
    with tf.device(WORKERS[0]):
      return self.network(images, labels, conv2d)

  def in_chunks(self, images, labels):
    def chunks(x, filters, name):
      return parallel.split_conv2d(
        x, filters, 3, WORKERS, strides=2, padding="same", activation=tf.nn.relu, kernel_initializer=initializer(name), name=name
      )

    with tf.device(WORKERS[0]):
      return self.network(images, labels, chunks)

  def network(self, images, labels, layer):
    x = tf.reshape(floats(images), [-1, SIDE, SIDE, 1])
    for i, filters in enumerate(self.filters):
      x = layer(x, filters, "filters%d" % i)
    flat = SIDE // 4 * (SIDE // 4) * self.filters[-1]
    return cross_entropy(dense(tf.reshape(x, [-1, flat]), CLASSES, "logits"), labels)


class RecurrentForms:
  """Two layers of recurrent cells that read an image row by row. With Millrace's client, tf.nn.rnn_cell.DeviceWrapper puts cells on
  devices; these are by plain ops, which both clients have."""

  title = "recurrent layers"

  def __init__(self, options):
    self.cells, self.batch = options.cells, options.recurrent_batch

  def forms(self):
    return {"on one worker": self.on_one, "a layer a worker": self.a_layer_a_worker}

  def on_one(self, images, labels):
    return self.network(images, labels, [WORKERS[0]] * 2)

  def a_layer_a_worker(self, images, labels):
    return self.network(images, labels, WORKERS)

  def network(self, images, labels, devices):
    with tf.device(WORKERS[0]):
      rows = tf.unstack(tf.reshape(floats(images), [-1, SIDE, SIDE]), axis=1)
    for i, device in enumerate(devices):
      with tf.device(device):
        state, outputs = None, []
        for x in rows:
          both = x if state is None else tf.concat([x, state], 1)
          state = tf.tanh(self.sum_of(both, "layer%d" % i, int(x.shape[-1])))
          outputs.append(state)
        rows = outputs
    with tf.device(devices[-1]):
      return cross_entropy(dense(rows[-1], CLASSES, "logits"), labels)

  def sum_of(self, both, name, inputs):
    """Of inputs and state; at the first step there is no state."""
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
      kernel = tf.get_variable("kernel", [inputs + self.cells, self.cells], initializer=initializer(name))
      bias = tf.get_variable("bias", [self.cells], initializer=tf.zeros_initializer())
    return tf.matmul(both, kernel[: int(both.shape[-1])]) + bias


class Trained:
  """Some steps of a form: the loss of each, the time of most, and what ran when in one of them."""

  def __init__(self, cluster, form, images, batch, steps):
    graph = tf.Graph()
    with graph.as_default():
      with tf.device(WORKERS[0]):
        pixels, labels = tf.placeholder(tf.uint8, [batch, PIXELS]), tf.placeholder(tf.int32, [batch])
      loss = form(pixels, labels)
      train = tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss, colocate_gradients_with_ops=True)
      initialize = tf.global_variables_initializer()
    # Forms have variables of the same names, whose parts have other shapes.
    tf.Session.reset(cluster.target("worker"))
    with training.session(graph, cluster.target("worker")) as session:
      session.run(initialize)
      self.losses, times = [], []
      for number in range(steps):
        feed = dict(zip((pixels, labels), batch_of(images, number, batch)))
        begin = time.perf_counter()
        self.losses.append(session.run([loss, train], feed)[0])
        times.append(time.perf_counter() - begin)
      self.seconds = training.median(times[1:])  # the first one also sends the graph
      metadata = tf.RunMetadata()
      session.run(train, feed, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
      self.trace = metadata.step_stats


def spans_of(trace):
  """{worker: [(micro-batch, whether on the way back, begin, end)]} of a pipeline's step, in seconds from its begin."""
  found = {i: [] for i in range(len(WORKERS))}
  for device in trace.dev_stats:
    for worker, name in enumerate(WORKERS):
      # Ops, each once: some servers also tell of their threads and streams.
      if device.device.replace("/replica:0", "").lower() != name + "/device:cpu:0":
        continue
      for node in device.node_stats:
        if "micro_batch_" in node.node_name and not node.node_name.startswith("_"):
          number = int(node.node_name.split("micro_batch_")[1].split("/")[0])
          begin = node.all_start_micros / 1e6
          end = begin + max(node.op_end_rel_micros, node.all_end_rel_micros) / 1e6
          found[worker].append((number, node.node_name.startswith("gradients/"), begin, end))
  first = min((span[2] for spans in found.values() for span in spans), default=0.0)
  return {worker: [(n, back, begin - first, end - first) for n, back, begin, end in spans] for worker, spans in found.items()}


class TracePicture(Picture):
  """With a panel that shows when each worker was busy with which micro-batch."""

  def spans(self, spans):
    def draw(axes):
      for worker, of_worker in spans.items():
        for number, back, begin, end in of_worker:
          axes.broken_barh(
            [(1000 * begin, 1000 * (end - begin))],
            (worker - 0.4 + 0.4 * back, 0.38),
            facecolors=COLOURS[number % len(COLOURS)],
            alpha=0.8,
          )
      axes.set_yticks(list(spans), ["worker %d" % worker for worker in spans])
      axes.invert_yaxis()
      axes.set_xlabel("ms of a step; a colour a micro-batch; above forwards, below backwards")

    self._panels.append(draw)


def main():
  args = arguments.parse(__doc__)
  options, images = Options(args.small), load(args.data, args.small)
  table = Table(
    "Model parallelism on two workers of a core each (%s)" % images.source,
    "The losses of %d steps are those of the network on one worker, up to the difference shown. What a form gains is the work of the "
    "second core; what it costs is what goes between the workers in each step." % options.steps,
  )
  spans, times = {}, {}
  with Cluster(worker=2, cores=1) as cluster:
    for kind in (DenseForms, ConvolutionForms, RecurrentForms):
      network, first = kind(options), None
      for name, form in network.forms().items():
        print("%s, %s ..." % (network.title, name), flush=True)
        before = cluster.bytes_between_tasks()
        trained = Trained(cluster, form, images, network.batch, options.steps)
        moved = (cluster.bytes_between_tasks() - before) / (options.steps + 1)
        first = first or trained
        times["%s, %s" % (network.title, name)] = trained.seconds
        table.add(
          network=network.title,
          form=name,
          step=seconds(trained.seconds),
          of_one_worker=Figure(trained.seconds / first.seconds, "%.2f"),
          kB_between_workers=Figure(moved / 1000, "%.0f"),
          difference=Figure(float(np.max(np.abs(np.subtract(trained.losses, first.losses)))), "%.1g"),
          loss=Figure(float(trained.losses[-1]), "%.4f"),
        )
        if "pipeline" in name:
          spans = spans_of(trained.trace)
  table.show(args.out)
  picture = TracePicture("Model parallelism")
  picture.bars({name: 1000 * value for name, value in times.items()}, axis="ms a step")
  picture.spans(spans)
  picture.write(args.out, "model_parallel")


if __name__ == "__main__":
  main()
