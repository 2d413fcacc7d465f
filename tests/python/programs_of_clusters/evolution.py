"""An evolution strategy: each worker scores a mutant, all meet at queues of tokens, and the parameter server ends when all are done."""

from __future__ import print_function

import sys

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Addresses of parameter servers, with commas between")
flags.DEFINE_string("worker_hosts", "", "Addresses of workers, with commas between")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Which one of the job")
flags.DEFINE_string("data_dir", "", "A folder that all tasks see")
FLAGS = flags.FLAGS
PARAMETERS, GENERATIONS, DEVIATION = 5, 40, 0.3


class Meeting(object):
  """Nobody goes on before everybody is there: each gives the others a token and takes theirs."""

  def __init__(self, task, count):
    self._give = []
    for i in range(count):
      queue = tf.FIFOQueue(100, tf.bool, shapes=[[]], shared_name="tokens_%d" % i)
      if i == task:
        self._take = queue.dequeue_many(count - 1)
      else:
        self._give.append(queue.enqueue(False))
    self._give = tf.group(*self._give)

  def __call__(self, session):
    session.run(self._give)
    session.run(self._take)


def rounded(values):
  return " ".join("%.3f" % value for value in values)


def main(_):
  workers = FLAGS.worker_hosts.split(",")
  task, count = FLAGS.task_index, len(workers)
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=task)
  with tf.device("/job:ps/task:0"):
    done = tf.FIFOQueue(count, tf.int32, shapes=[[]], shared_name="done_queue")
  if FLAGS.job_name == "ps":
    everyone = done.dequeue_many(count)
    with tf.Session(server.target) as session:
      print("done:", sorted(session.run(everyone).tolist()))
    sys.exit(0)

  with tf.device("/job:ps/task:0"):
    theta = tf.get_variable("theta", [PARAMETERS], initializer=tf.constant_initializer(0.5))
    generation = tf.Variable(0, name="generation", trainable=False)
    scores = tf.get_variable("scores", [count], initializer=tf.zeros_initializer(), trainable=False)
    step = tf.placeholder(tf.float32, [PARAMETERS], name="step")
    update = [theta.assign_add(step), generation.assign_add(1)]
    meet = Meeting(task, count)
  with tf.device("/job:worker/task:%d" % task):
    local = [tf.GraphKeys.LOCAL_VARIABLES]
    noise = tf.get_variable("noise", [PARAMETERS], initializer=tf.zeros_initializer(), collections=local, trainable=False)
    mutation = tf.placeholder(tf.float32, [PARAMETERS], name="mutation")
    mutate = noise.assign(mutation)
    score = -tf.reduce_sum(tf.square(theta + noise - np.arange(1.0, 1.0 + PARAMETERS)))
  report = tf.scatter_update(scores, [task], [score])
  init, local_init = tf.global_variables_initializer(), tf.local_variables_initializer()
  not_ready = tf.report_uninitialized_variables(tf.global_variables())
  finish = done.enqueue(task)

  session = tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True))
  if task == 0:
    session.run(init)
  while len(session.run(not_ready)):
    pass
  session.run(local_init)
  everybodys = [np.random.RandomState(seed) for seed in range(count)]
  for _ in range(GENERATIONS):
    mutations = [DEVIATION * each.randn(PARAMETERS) for each in everybodys]
    session.run(mutate, {mutation: mutations[task]})
    session.run(report)
    meet(session)
    if task == 0:
      advantages = session.run(scores)
      advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
      session.run(update, {step: sum(a * m for a, m in zip(advantages, mutations)) * 0.4 / (count * DEVIATION)})
    meet(session)
  print("theta", rounded(session.run(theta)), "after", session.run(generation))
  if task == 0:
    # What one session wrote, those at the other workers' masters read.
    for address in workers[1:]:
      with tf.Session("grpc://" + address) as other:
        print("by another master", rounded(other.run(theta)))
  meet(session)
  session.run(finish)


if __name__ == "__main__":
  tf.app.run()
