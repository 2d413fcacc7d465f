"""A training program as users of the stock client write it; it knows nothing of which servers it runs on.

One process a worker; the servers run elsewhere. Each step's global step and loss go to the standard output. It trains
until the last step, or until SIGTERM asks it to save and end.
"""

import argparse
import signal
import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)


def parse():
  parser = argparse.ArgumentParser()
  parser.add_argument("--ps_hosts", required=True)
  parser.add_argument("--worker_hosts", required=True)
  parser.add_argument("--task_index", type=int, required=True)
  parser.add_argument("--checkpoint_dir", required=True)
  parser.add_argument("--last_step", type=int, default=300)
  parser.add_argument("--save_steps", type=int, default=20)
  parser.add_argument("--pause", type=float, default=0.0, help="seconds of the input pipeline before a step")
  parser.add_argument("--operation_timeout_in_ms", type=int, default=0)
  return parser.parse_args()


def dense(inputs, units, name):
  with tf.variable_scope(name):
    kernel = tf.get_variable("kernel", [inputs.shape[1], units])
    bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
  return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)


def main():
  flags = parse()
  cluster = tf.train.ClusterSpec({"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")})
  is_chief = flags.task_index == 0
  with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{flags.task_index}")):
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 20], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    hidden = tf.nn.relu(dense(x, 30, "hidden"))
    output = dense(hidden, 1, "output")
    loss = tf.reduce_mean(tf.square(output - y), name="loss")
    tf.summary.scalar("loss", loss)
    tf.summary.histogram("output", output)
    train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=global_step)

  hooks = [
    tf.train.StopAtStepHook(last_step=flags.last_step),
    tf.train.LoggingTensorHook({"step": global_step, "loss": loss}, every_n_iter=50),
    tf.train.NanTensorHook(loss),
  ]
  config = tf.ConfigProto(operation_timeout_in_ms=flags.operation_timeout_in_ms)
  config.device_filters.extend(["/job:ps", f"/job:worker/task:{flags.task_index}"])
  master = "grpc://" + flags.worker_hosts.split(",")[flags.task_index]
  rng = np.random.RandomState(flags.task_index)
  slope = np.linspace(-1, 1, 20, dtype=np.float32).reshape(20, 1)
  terminated = []
  signal.signal(signal.SIGTERM, lambda *_: terminated.append(True))
  with tf.train.MonitoredTrainingSession(
    master=master,
    is_chief=is_chief,
    checkpoint_dir=flags.checkpoint_dir,
    hooks=hooks,
    save_checkpoint_secs=None,
    save_checkpoint_steps=flags.save_steps,
    save_summaries_steps=10,
    log_step_count_steps=50,
    config=config,
  ) as session:
    while not session.should_stop() and not terminated:
      time.sleep(flags.pause)  # what the input pipeline takes
      features = rng.normal(size=(32, 20)).astype(np.float32)
      _, step, value = session.run([train, global_step, loss], {x: features, y: features @ slope})
      print(f"step {step} loss {value:.4f}", flush=True)
  print("done", flush=True)


if __name__ == "__main__":
  main()
