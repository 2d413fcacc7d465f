"""slim.learning.train on a cluster of processes, with an optimizer that waits for all replicas."""

import os

from estimator_tasks import Tasks

import millrace as tf

SERVER, WORKERS = ("ps", 0), [("worker", 0), ("worker", 1)]

TRAIN = """
slim = tf.contrib.slim
config = json.loads(os.environ["TF_CONFIG"])
cluster = tf.train.ClusterSpec(config["cluster"])
job, index = config["task"]["type"], config["task"]["index"]
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
  server.join()

with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % index)):
  x = tf.random_normal([16, 4], seed=1)
  y = slim.fully_connected(x, 1, activation_fn=None, scope="line")
  tf.losses.mean_squared_error(tf.reduce_sum(x, 1, keep_dims=True), y)
  optimizer = tf.train.SyncReplicasOptimizer(
    tf.train.GradientDescentOptimizer(0.05), replicas_to_aggregate=2, total_num_replicas=2)
  train_op = slim.learning.create_train_op(tf.losses.get_total_loss(), optimizer)
loss = slim.learning.train(
  train_op, os.path.join(FOLDER, "model"), master=server.target, is_chief=index == 0, number_of_steps=60,
  sync_optimizer=optimizer, save_interval_secs=0, save_summaries_secs=0)
say(TASK + "_loss", str(loss))
"""


def test_replicas_that_wait_for_each_other(tmp_path):
  with Tasks(tmp_path, TRAIN, {"ps": 1, "worker": 2}, evaluator=False) as tasks:
    tasks.start()
    assert set(tasks.codes(*WORKERS).values()) == {0}, tasks.logs()
    assert tasks.processes[SERVER].poll() is None
  for name in WORKERS:
    assert float((tmp_path / ("%s_%d_loss" % name)).read_text()) < 0.1
  model = str(tmp_path / "model")
  # The averages of two gradients were applied as often as was asked for, or once more by the run that was under way.
  assert tf.train.load_variable(model, "global_step") in (60, 61)
  assert abs(tf.train.load_variable(model, "line/weights") - 1.0).max() < 0.1
  assert os.path.exists(os.path.join(model, "graph.pbtxt"))
