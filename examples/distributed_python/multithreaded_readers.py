"""Several threads fill a queue: QueueRunner and Coordinator by hand, several readers, shuffle_batch_join."""

import os
import tempfile

from local_cluster import LocalCluster, tf

cluster = LocalCluster(ps=1, worker=1)
folder = tempfile.TemporaryDirectory()
names = [os.path.join(folder.name, "part%d.txt" % i) for i in range(4)]
for i, name in enumerate(names):
  with open(name, "w") as f:
    f.writelines("%d\n" % (100 * i + j) for j in range(25))
everything = sorted(100 * i + j for i in range(4) for j in range(25))


def read(name_queue):
  _, line = tf.TextLineReader().read(name_queue)
  return tf.decode_csv(line, record_defaults=[[0]])[0]


def one_runner_of_five_threads():
  with tf.device("/job:ps/task:0"):
    queue = tf.RandomShuffleQueue(20, min_after_dequeue=5, dtypes=[tf.int32], shapes=[()])
  name_queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
  runner = tf.train.QueueRunner(queue, [queue.enqueue([read(name_queue)])] * 5)
  dequeue = queue.dequeue()
  with tf.Session(cluster.target("worker")) as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    threads += runner.create_threads(session, coord=coordinator, start=True)
    seen = []
    try:
      while True:
        seen.append(int(session.run(dequeue)))
    except tf.errors.OutOfRangeError:
      pass
    coordinator.request_stop()
    coordinator.join(threads)
  print("five threads, one reader: all there", sorted(seen) == everything)


def four_readers():
  name_queue = tf.train.string_input_producer(names, num_epochs=1)
  lists = [[read(name_queue)] for _ in range(4)]
  batch = tf.train.shuffle_batch_join(lists, batch_size=10, capacity=40, min_after_dequeue=10)
  with tf.Session(cluster.target("worker")) as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    seen = []
    try:
      while not coordinator.should_stop():
        seen += session.run(batch).tolist()
    except tf.errors.OutOfRangeError:
      pass
    coordinator.request_stop()
    coordinator.join(threads)
  print("four readers, shuffle_batch_join: all there", sorted(seen) == everything, "in order", seen == everything)


def an_error_in_a_thread_reaches_everybody():
  queue = tf.FIFOQueue(3, [tf.float32], shapes=[()])
  bad = tf.check_numerics(tf.placeholder_with_default(float("nan"), []), "not a number")
  runner = tf.train.QueueRunner(queue, [queue.enqueue([bad])])
  with tf.Session(cluster.target("worker")) as session:
    coordinator = tf.train.Coordinator()
    threads = runner.create_threads(session, coord=coordinator, start=True)
    try:
      coordinator.join(threads)
    except tf.errors.InvalidArgumentError as error:
      print("the coordinator re-raises:", type(error).__name__, "not a number" in error.message)


for part in (one_runner_of_five_threads, four_readers, an_error_in_a_thread_reaches_everybody):
  with tf.Graph().as_default():
    part()
folder.cleanup()
