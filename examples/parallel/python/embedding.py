"""A model with a large table over the parameter servers, of which a step moves only the rows that it touches.

Each example is a few words; the table has a row of numbers for each word, and the class is told by the mean of the rows. The table lies
in parts on two parameter servers. A worker asks for the rows of its batch, and sends their gradients back; whether the table has
thousands of rows or a million makes no difference for what goes over the wire. Taken as a whole, it all goes, each step, both ways.
"""

import time

import arguments
import numpy as np
import tensorflow.compat.v1 as tf
import training
from cluster import Cluster
from picture import Picture
from table import Figure, Table, count, percent, seconds, size

PS = 2
CLASSES = 10
WORDS = 8  # of an example
OF_ITS_CLASS = 5  # of these; the others are of any
TEST_BEGIN = 1_000_000  # the number of the first batch that is not trained on


class Examples:
  """Words are numbers from 0, the frequent ones first; a word belongs to the class of its last digit."""

  def __init__(self, rows, batch):
    self.rows, self.batch = rows, batch

  def batch_of(self, number):
    """int32 [batch, WORDS] and int32 [batch]; the same number gives the same batch."""
    random = np.random.RandomState(number)
    labels = random.randint(0, CLASSES, self.batch)
    # The n-th group of ten words is about half as frequent as the n/2-th: an even distribution of the logarithm.
    groups = np.exp(random.uniform(0, np.log(self.rows // CLASSES), [self.batch, WORDS])).astype(np.int64) - 1
    last_digits = random.randint(0, CLASSES, [self.batch, WORDS])
    last_digits[:, :OF_ITS_CLASS] = labels[:, None]
    return (groups * CLASSES + last_digits).astype(np.int32), labels.astype(np.int32)


class Model:
  """A worker's client: the graph and a session. With `whole` the table's parts are joined before rows are taken of it, so that its
  gradient has the size of the table, too."""

  def __init__(self, cluster, index, examples, width, whole=False):
    worker = "/job:worker/task:%d" % index
    rows, batch = examples.rows, examples.batch
    self.graph = tf.Graph()
    setter = tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster.spec), worker_device=worker)
    with self.graph.as_default(), tf.device(setter):
      self.words = tf.placeholder(tf.int32, [batch, WORDS])
      self.labels = tf.placeholder(tf.int32, [batch])
      table = tf.get_variable(
        "table", [rows, width], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(PS)
      )
      kernel = tf.get_variable("kernel", initializer=_kernel(width))
      places = [[example, word] for example in range(batch) for word in range(WORDS)]
      words = tf.SparseTensor(tf.constant(places, tf.int64), tf.reshape(self.words, [-1]), [batch, WORDS])
      if whole:
        table = tf.reshape(tf.convert_to_tensor(table), [rows, width])
      # Each row is asked for once, also if several examples have its word.
      means = tf.nn.embedding_lookup_sparse(table, words, None, partition_strategy="div", combiner="mean")
      logits = tf.matmul(means, kernel)
      self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=logits))
      self.right = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, self.labels, 1), tf.float32))
      self.train = tf.train.AdagradOptimizer(0.5).minimize(batch * self.loss)
      self.initialize = tf.global_variables_initializer()
    self.session = training.session(self.graph, cluster.target("worker", index), ["/job:ps", worker])

  def feed(self, batch):
    return {self.words: batch[0], self.labels: batch[1]}


def _kernel(width):
  return (np.random.RandomState(1).standard_normal([width, CLASSES]) / np.sqrt(width)).astype(np.float32)


class Trainings:
  def __init__(self, args):
    self.width = 16 if args.small else 32
    self.batch = 32 if args.small else 128
    self.steps = 60 if args.small else 1_500  # of each worker
    self.table = Table(
      "A table over %d parameter servers" % PS,
      "A row of %d numbers is %s. A step asks for the rows of its words, and sends their gradients; of the whole table it takes all. The "
      "accuracy is that of new examples after %s steps of each worker: larger tables have words that were seldom seen."
      % (self.width, size(4 * self.width), count(self.steps)),
    )

  def run(self, name, rows, workers=1, whole=False):
    print(name, count(rows), "rows ...", flush=True)
    steps = self.steps
    examples = Examples(rows, self.batch)
    touched = [len(np.unique(examples.batch_of(step)[0])) for step in range(min(steps, 100))]
    with Cluster(ps=PS, worker=workers) as cluster:
      models = [Model(cluster, i, examples, self.width, whole) for i in range(workers)]
      models[0].session.run(models[0].initialize)

      def work(index):
        for step in range(steps):
          model = models[index]
          model.session.run(model.train, model.feed(examples.batch_of(step * workers + index)))

      before, begin = cluster.bytes_between_tasks(), time.monotonic()
      training.together(cluster, [lambda i=i: work(i) for i in range(workers)])
      took, moved = time.monotonic() - begin, cluster.bytes_between_tasks() - before
      right, loss = self.test(models[0], examples)
    moved_by_a_step, table_bytes = moved / (steps * workers), 4 * rows * self.width
    self.table.add(
      what=name,
      rows=count(rows),
      table=size(table_bytes),
      rows_touched=count(np.mean(touched)),
      bytes_a_step=size(moved_by_a_step),
      of_the_table=Figure(moved_by_a_step / table_bytes, "%.4g %%", 100),
      a_step=seconds(took / steps),
      **{"examples/s": count(self.batch * steps * workers / took)},
      accuracy=percent(right),
      loss=Figure(loss, "%.4f"),
    )

  def test(self, model, examples):
    """(share of right answers, mean loss) of batches that were not trained on."""
    batches = [examples.batch_of(TEST_BEGIN + number) for number in range(10 if self.steps < 100 else 40)]
    found = [model.session.run([model.right, model.loss], model.feed(batch)) for batch in batches]
    return np.mean(found, 0)


def main():
  args = arguments.parse(__doc__)
  trainings = Trainings(args)
  sizes = [1_000, 100_000] if args.small else [10_000, 100_000, 1_000_000]
  trainings.run("the whole table", sizes[0], whole=True)
  for rows in sizes:
    trainings.run("rows alone", rows)
  trainings.run("rows alone, 2 workers", sizes[-1], workers=2)
  trainings.table.show(args.out)
  rows = trainings.table.rows[1 : 1 + len(sizes)]
  picture = Picture("What a step moves of an embedding")
  sizes_mb = [4 * n * trainings.width / 1e6 for n in sizes]
  picture.lines(
    {
      "the table": (sizes_mb, sizes_mb),
      "a step of rows": (sizes_mb, [row["bytes_a_step"].value / 1e6 for row in rows]),
    },
    x="MB of the table",
    y="MB",
    logarithmic=True,
  )
  picture.bars({"%s rows" % row["rows"]: row["examples/s"].value for row in rows}, axis="examples/s of one worker")
  picture.write(args.out, "embedding")


if __name__ == "__main__":
  main()
