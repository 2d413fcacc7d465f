"""Reading files from the graph: a queue of names, a reader, a queue of instances; then the same by producers."""

import os
import tempfile

from local_cluster import LocalCluster, tf

cluster = LocalCluster(ps=1, worker=1)
folder = tempfile.TemporaryDirectory()
names = [os.path.join(folder.name, "part%d.csv" % i) for i in range(2)]
for i, name in enumerate(names):
  with open(name, "w") as f:
    f.write("x1,x2,target\n")
    for j in range(3):
      f.write("%d.,%s,%d\n" % (10 * i + j, "" if j == 1 else j, j % 2))


def parse(line):
  x1, x2, target = tf.decode_csv(line, record_defaults=[[-1.0], [-1.0], [-1]])
  return tf.stack([x1, x2]), target


def by_hand():
  name_queue = tf.FIFOQueue(10, [tf.string], shapes=[()])
  name = tf.placeholder(tf.string)
  enqueue_name = name_queue.enqueue([name])
  close_names = name_queue.close()
  reader = tf.TextLineReader(skip_header_lines=1)
  _, line = reader.read(name_queue)
  features, target = parse(line)
  instances = tf.RandomShuffleQueue(10, min_after_dequeue=2, dtypes=[tf.float32, tf.int32], shapes=[[2], []])
  enqueue_instance = instances.enqueue([features, target])
  close_instances = instances.close()
  batch = instances.dequeue_up_to(2)
  with tf.Session(cluster.target("worker")) as session:
    for file_name in names:
      session.run(enqueue_name, {name: file_name})
    session.run(close_names)
    try:
      while True:
        session.run(enqueue_instance)
    except tf.errors.OutOfRangeError:
      print("no more files to read:", session.run([reader.num_records_produced(), reader.num_work_units_completed()]))
    session.run(close_instances)
    seen = []
    try:
      while True:
        features_batch, targets = session.run(batch)
        seen += [(*row, int(t)) for row, t in zip(features_batch.tolist(), targets)]
    except tf.errors.OutOfRangeError:
      print("no more instances:", sorted(seen))


def by_producers():
  name_queue = tf.train.string_input_producer(names, num_epochs=2, shuffle=False)
  _, line = tf.TextLineReader(skip_header_lines=1).read(name_queue)
  features, target = parse(line)
  batch = tf.train.batch([features, target], batch_size=4, allow_smaller_final_batch=True)
  with tf.Session(cluster.target("worker")) as session:
    session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
      while not coordinator.should_stop():
        features_batch, targets = session.run(batch)
        print(features_batch[:, 0].tolist(), targets.tolist())
    except tf.errors.OutOfRangeError:
      print("two epochs are over")
    finally:
      coordinator.request_stop()
    coordinator.join(threads)


for way in (by_hand, by_producers):
  with tf.Graph().as_default():
    way()
folder.cleanup()
