"""Readers at a worker of what is wrong: records that are damaged, cut or of another kind, rows of too few fields, absent files."""

from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Addresses of parameter servers, with commas between")
flags.DEFINE_string("worker_hosts", "", "Addresses of workers, with commas between")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Which one of the job")
flags.DEFINE_string("data_dir", "", "A folder that all tasks see")
FLAGS = flags.FLAGS
RECORDS = 5
NUMBER = tf.FixedLenFeature([], tf.int64)


def example(number):
  feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
  return tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()


def write_files(folder):
  """Returns the paths by their names."""
  paths = {name: os.path.join(folder, name) for name in ("good", "byte", "length", "cut", "empty", "text", "absent")}
  with tf.python_io.TFRecordWriter(paths["good"]) as writer:
    for number in range(RECORDS):
      writer.write(example(number))
  with open(paths["good"], "rb") as file:
    good = file.read()
  size = len(good) // RECORDS

  def flipped(at):
    return good[:at] + bytes(bytearray([ord(good[at : at + 1]) ^ 1])) + good[at + 1 :]

  contents = {"byte": flipped(2 * size + 14), "length": flipped(3 * size + 1), "cut": good[: 3 * size + 20], "empty": b""}
  contents["text"] = b"this is no file of records\n" * 3
  for name, content in contents.items():
    with open(paths[name], "wb") as file:
      file.write(content)
  return paths


def from_queues(path, target, feature=NUMBER, options=None):
  """The numbers that a coordinator's threads read, and how that ended."""
  numbers = []
  with tf.Graph().as_default():
    with tf.device("/job:worker/task:1"):
      files = tf.train.string_input_producer([path], num_epochs=1)
      _, value = tf.TFRecordReader(options=options).read(files)
      number = tf.parse_single_example(value, {"x": feature})["x"]
      batch = tf.train.batch([number], 1)
    with tf.Session(target) as session:
      session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(session, coord)
      try:
        while not coord.should_stop():
          numbers.extend(session.run(batch).tolist())
      except tf.errors.OutOfRangeError:
        pass
      finally:
        coord.request_stop()
      try:
        coord.join(threads)
      except tf.errors.OpError as error:
        # How much was read before the threads heard of it is chance.
        return type(error).__name__, numbers == list(range(len(numbers)))
  return numbers


def from_data(path, target, passes_over=False):
  """The numbers of a data set, with the errors between."""
  found = []
  with tf.Graph().as_default():
    with tf.device("/job:worker/task:1"):
      data = tf.data.TFRecordDataset(path).map(lambda record: tf.parse_single_example(record, {"x": NUMBER})["x"])
      if passes_over:
        data = data.apply(tf.data.experimental.ignore_errors())
      iterator = data.make_initializable_iterator()
      number = iterator.get_next()
    with tf.Session(target) as session:
      session.run(iterator.initializer)
      for _ in range(RECORDS + 2):
        try:
          found.append(int(session.run(number)))
        except tf.errors.OutOfRangeError:
          break
        except tf.errors.OpError as error:
          found.append(type(error).__name__)
  return found


def rows(path, target):
  """The rows of a file, or what is wrong with them; a MonitoredSession runs the readers."""
  with open(path, "w") as file:
    file.write("1,2\n3\n5,6\n,8\nx,1\n")
  found = []
  with tf.Graph().as_default():
    with tf.device("/job:worker/task:1"):
      files = tf.train.string_input_producer([path], num_epochs=1)
      row = tf.decode_csv(tf.TextLineReader().read(files)[1], [[9], [0]])
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=target)) as session:
      while not session.should_stop():
        try:
          found.append([int(field) for field in session.run(row)])
        except tf.errors.InvalidArgumentError as error:
          found.append(
            "Expect 2 fields but have 1" in error.message or "Field 0 in record 0 is not a valid int32" in error.message
          )
  return found


def of_other_shapes(target):
  """A thread feeds a queue; the error of its third run reaches who joins it."""
  with tf.Graph().as_default():
    with tf.device("/job:worker/task:1"):
      queue = tf.PaddingFIFOQueue(5, tf.float32, [[None]])
      value = tf.placeholder(tf.float32)
      put = queue.enqueue(value)
    with tf.Session(target) as session:
      coord = tf.train.Coordinator()

      def feed():
        with coord.stop_on_exception():
          for shape in ([1], [2], [2, 2], [3]):
            session.run(put, {value: np.ones(shape)})

      thread = tf.train.LooperThread(coord, None, target=feed)
      thread.start()
      try:
        coord.join([thread])
      except tf.errors.InvalidArgumentError as error:
        return "Shape mismatch in tuple component 0. Expected [?], got [2,2]" in error.message, int(session.run(queue.size()))


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  with tf.device("/job:ps/task:0"):
    done = tf.FIFOQueue(2, tf.int32, shapes=[[]], shared_name="done_queue")
  end, wait = done.enqueue_many([[1, 1]]), done.dequeue()
  if FLAGS.job_name == "ps" or FLAGS.task_index == 1:
    with tf.Session("grpc://" + FLAGS.ps_hosts.split(",")[0]) as session:
      session.run(wait)
    return
  tf.logging.set_verbosity(tf.logging.ERROR)
  paths = write_files(FLAGS.data_dir)
  for name in ("good", "byte", "length", "cut", "empty", "text", "absent"):
    print(name, "by queues:", from_queues(paths[name], server.target))
    print(name, "by a data set:", from_data(paths[name], server.target))
    if name != "absent":
      print(name, "passed over:", from_data(paths[name], server.target, passes_over=True))
  gzip = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
  print("not compressed:", from_queues(paths["good"], server.target, options=gzip))
  print("another type:", from_queues(paths["good"], server.target, tf.FixedLenFeature([], tf.float32)))
  print("another shape:", from_queues(paths["good"], server.target, tf.FixedLenFeature([2], tf.int64)))
  print("rows:", rows(os.path.join(FLAGS.data_dir, "rows.csv"), server.target))
  print("other shapes:", of_other_shapes(server.target))
  with tf.Session(server.target) as session:
    session.run(end)


if __name__ == "__main__":
  tf.app.run()
