"""Each worker trains a model of its own and pushes it into an average on two parameter servers; a Supervisor saves that in parts."""

from __future__ import print_function

import os
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Addresses of parameter servers, with commas between")
flags.DEFINE_string("worker_hosts", "", "Addresses of workers, with commas between")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Which one of the job")
flags.DEFINE_string("data_dir", "", "A folder that all tasks see")
FLAGS = flags.FLAGS
ROUNDS, STEPS = 30, 5


def done_queue(index):
  with tf.device("/job:ps/task:%d" % index):
    return tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="done_queue%d" % index)


def serve(server, workers):
  done = done_queue(FLAGS.task_index).dequeue()
  config = tf.ConfigProto(device_filters=["/job:ps/task:%d" % FLAGS.task_index])
  with tf.Session(server.target, config=config) as session:
    for _ in workers:
      session.run(done)
  print("all workers are done")


def restore(path):
  """Without the devices that the cluster had."""
  with tf.Graph().as_default(), tf.Session() as session:
    saver = tf.train.import_meta_graph(path + ".meta", clear_devices=True)
    saver.restore(session, path)
    print("restored", session.run("global_step:0"), np.round(session.run("average/b:0"), 1).tolist())


def main(_):
  servers, workers = FLAGS.ps_hosts.split(","), FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": servers, "worker": workers})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    serve(server, workers)
    return
  is_chief = FLAGS.task_index == 0
  here = "/job:worker/task:%d" % FLAGS.task_index
  with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=here)):
    global_step = tf.Variable(0, name="global_step", trainable=False, dtype=tf.int64)
    with tf.variable_scope("average"):
      average = [
        tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer(), trainable=False),
        tf.get_variable("b", [1], initializer=tf.zeros_initializer(), trainable=False),
      ]
    with tf.device(here), tf.variable_scope("own"):
      collections = [tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES]
      w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer(), collections=collections)
      b = tf.get_variable("b", [1], initializer=tf.zeros_initializer(), collections=collections)
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
    loss = tf.losses.mean_squared_error(y, tf.matmul(x, w) + b)
    optimizer = tf.train.MomentumOptimizer(0.05, 0.5)
    train = optimizer.minimize(loss, var_list=[w, b])
    push = [whole.assign_add((part - whole) * 0.5, use_locking=True) for whole, part in zip(average, [w, b])]
    push = tf.group(global_step.assign_add(1, use_locking=True), *push)
    pull = tf.group(*[part.assign(whole) for whole, part in zip(average, [w, b])])
    smooth = tf.train.ExponentialMovingAverage(0.5, num_updates=global_step)
    smoothing = smooth.apply(average[:1])
    # Made after the slots and averages, which a setter counts, too.
    visits = tf.get_variable("visits", [len(workers)], initializer=tf.zeros_initializer(), trainable=False, use_resource=True)
    visit = tf.scatter_add(visits, [FLAGS.task_index], [1.0])
    tf.summary.scalar("loss", loss)
    tf.summary.histogram("w", average[0])
  for variable in tf.global_variables() if is_chief else []:
    print(variable.op.name, "on", variable.device)
  finish = [done_queue(index).enqueue(1) for index in range(len(servers))]
  # Slots of what is a worker's own are its own; the chief's are not for the others to wait for.
  own = [optimizer.get_slot(variable, "momentum") for variable in (w, b)]
  shared = [variable for variable in tf.global_variables() if variable not in own]
  local_init = tf.group(tf.local_variables_initializer(), tf.variables_initializer(own))
  saver = tf.train.Saver(shared, sharded=True, max_to_keep=2)
  merged = tf.summary.merge_all()
  supervisor = tf.train.Supervisor(
    is_chief=is_chief,
    logdir=os.path.join(FLAGS.data_dir, "log"),
    init_op=tf.variables_initializer(shared),
    local_init_op=local_init,
    ready_op=tf.report_uninitialized_variables(shared),
    global_step=global_step,
    saver=saver,
    save_model_secs=0,
    summary_op=None,
    save_summaries_secs=0,
    recovery_wait_secs=1,
  )
  rng = np.random.RandomState(FLAGS.task_index)
  with supervisor.managed_session(server.target) as session:
    for number in range(ROUNDS):
      for _ in range(STEPS):
        inputs = rng.randn(8, 3)
        feed = {x: inputs, y: inputs.dot([[1], [2], [3]]) + 1}
        session.run(train, feed)
      session.run(push)
      session.run(pull)
      session.run(smoothing)
      if is_chief and number % 10 == 0:
        supervisor.summary_computed(session, session.run(merged, feed))
    session.run(visit)
    while session.run(visits).sum() < len(workers):
      time.sleep(0.02)
    values = session.run(average + [smooth.average(average[0])])
    print("average", [np.round(value, 1).ravel().tolist() for value in values], "after", session.run(global_step))
    if is_chief:
      path = saver.save(session, supervisor.save_path, global_step=global_step)
      print("saved", os.path.basename(path))
    for op in finish:
      session.run(op)
  supervisor.stop()
  if is_chief:
    folder = os.path.join(FLAGS.data_dir, "log")
    print(sorted(name for name in os.listdir(folder) if name.startswith("model.ckpt")))
    for name, shape in sorted(tf.train.list_variables(path)):
      print(" ", name, shape)
    events = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("events")]
    print([[value.tag for value in e.summary.value] for e in tf.train.summary_iterator(events[0]) if e.summary.value])
    restore(path)


if __name__ == "__main__":
  tf.app.run()
