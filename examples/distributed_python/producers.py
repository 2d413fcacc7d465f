"""Producers of inputs and batches of TensorFlow's client: each adds queues to the graph and runners for them."""

from local_cluster import LocalCluster, tf

cluster = LocalCluster(ps=1, worker=1)


def run(*tensors, limit=100):
  """All values of a pipeline, until it ends."""
  values = []
  with tf.Session(cluster.target("worker")) as session:
    session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
      while len(values) < limit:
        values.append([v.tolist() for v in session.run(list(tensors))])
    except tf.errors.OutOfRangeError:
      pass
    coordinator.request_stop()
    coordinator.join(threads, ignore_live_threads=True)
  return values


def range_producer():
  return run(tf.train.range_input_producer(4, num_epochs=2, shuffle=False).dequeue())


def input_producer():
  return run(tf.train.input_producer([[1, 2], [3, 4]], num_epochs=1, shuffle=False).dequeue())


def slices():
  x, y = tf.train.slice_input_producer([[[1.0], [2.0], [3.0]], [10, 20, 30]], num_epochs=1, shuffle=False)
  return run(x, y)


def batches():
  x = tf.train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue()
  return run(tf.train.batch([x], batch_size=3, allow_smaller_final_batch=True))


def padded_batches():
  x = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
  return run(tf.train.batch([tf.fill([x], x)], batch_size=2, dynamic_pad=True))


def chosen():
  x = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
  return run(tf.train.maybe_batch([x], keep_input=tf.equal(x % 2, 0), batch_size=3))


def joined():
  producers = [tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue() + 10 * i for i in range(2)]
  values = run(tf.train.batch_join([[p] for p in producers], batch_size=2))
  return sorted(v for [pair] in values for v in pair)


def shuffled():
  x = tf.train.range_input_producer(8, num_epochs=1, seed=1).dequeue()
  values = run(tf.train.shuffle_batch([x], batch_size=4, capacity=8, min_after_dequeue=2, seed=1))
  return sorted(v for [batch] in values for v in batch)


for pipeline in (range_producer, input_producer, slices, batches, padded_batches, chosen, joined, shuffled):
  with tf.Graph().as_default():
    print("%-15s" % pipeline.__name__, pipeline())
