"""A synchronous training program as users of the stock client write it; one process a worker.

Each step's global step and loss go to the standard output; at its end the chief prints the loss of examples that were not trained on
and, of a variable of each ps that makes a step of the same length with each update, how many there were:

    end step 340 loss 0.0123 updates 340 340

With --led each line of the standard input is a global step at which it waits for the next one.
"""

import argparse
import sys

import numpy as np
import tensorflow.compat.v1 as tf

import synchronous_replicas

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)

RATE = 2**-5
BATCH, INPUTS, WORDS, WIDTH = 16, 10, 50, 4


def parse():
  parser = argparse.ArgumentParser()
  parser.add_argument("--ps_hosts", required=True)
  parser.add_argument("--worker_hosts", required=True)
  parser.add_argument("--task_index", type=int, required=True)
  parser.add_argument("--checkpoint_dir", required=True)
  parser.add_argument("--replicas_to_aggregate", type=int, default=0, help="0: as many as there are workers")
  parser.add_argument("--last_step", type=int, required=True)
  parser.add_argument("--save_steps", type=int, default=10)
  parser.add_argument("--led", action="store_true")
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--resources", action="store_true")
  parser.add_argument("--operation_timeout_in_ms", type=int, default=120_000)
  return parser.parse_args()


class Examples:
  """Of a linear function of some numbers and of a word, with noise. A worker's life has a stream of its own."""

  def __init__(self, seed):
    self.random = np.random.RandomState(seed)
    truth = np.random.RandomState(7)
    self.slope = truth.uniform(-1, 1, [INPUTS, 1])
    self.of_words = truth.uniform(-1, 1, [WORDS, 1])

  def batch(self, size=BATCH):
    numbers = self.random.normal(size=[size, INPUTS])
    words = self.random.randint(WORDS, size=size)
    results = numbers @ self.slope + self.of_words[words] + self.random.normal(scale=0.3, size=[size, 1])
    return numbers.astype(np.float32), words, results.astype(np.float32)


class Report(tf.train.SessionRunHook):
  def __init__(self, *fetches):
    self.fetches = fetches

  def end(self, session):
    step, loss, rulers = session.run(*self.fetches)
    print(f"end step {step} loss {loss:.5f} updates", *(f"{-r / RATE:g}" for r in rulers), flush=True)


def main():
  flags = parse()
  synchronous_replicas.look_often()
  cluster = tf.train.ClusterSpec({"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")})
  workers = cluster.num_tasks("worker")
  is_chief = flags.task_index == 0
  setter = tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{flags.task_index}")
  with tf.device(setter), tf.variable_scope("", use_resource=flags.resources):
    tf.set_random_seed(flags.seed)
    global_step = tf.train.get_or_create_global_step()
    rulers = [tf.get_variable(f"ruler{i}", [], initializer=tf.zeros_initializer()) for i in range(2)]
    numbers = tf.placeholder(tf.float32, [None, INPUTS])
    words = tf.placeholder(tf.int64, [None])
    results = tf.placeholder(tf.float32, [None, 1])
    table = tf.get_variable("table", [WORDS, WIDTH])
    features = tf.concat([numbers, tf.nn.embedding_lookup(table, words)], 1)
    kernel = tf.get_variable("kernel", [INPUTS + WIDTH, 16])
    bias = tf.get_variable("bias", [16], initializer=tf.zeros_initializer())
    output = tf.get_variable("output", [16, 1])
    loss = tf.reduce_mean(tf.square(tf.tanh(features @ kernel + bias) @ output - results))
    optimizer = tf.train.SyncReplicasOptimizer(
      tf.train.GradientDescentOptimizer(RATE),
      replicas_to_aggregate=flags.replicas_to_aggregate or workers,
      total_num_replicas=workers,
    )
    train = optimizer.minimize(loss + sum(rulers), global_step=global_step)

  def feed(batch):
    return dict(zip((numbers, words, results), batch))

  hooks = [optimizer.make_session_run_hook(is_chief), tf.train.StopAtStepHook(last_step=flags.last_step)]
  if is_chief:
    hooks.append(Report([global_step, loss, rulers], feed(Examples(0).batch(2000))))
  config = tf.ConfigProto(operation_timeout_in_ms=flags.operation_timeout_in_ms)
  config.device_filters.extend(["/job:ps", f"/job:worker/task:{flags.task_index}"])
  examples = Examples(None)
  examples.random.seed([flags.seed, flags.task_index])
  with tf.train.MonitoredTrainingSession(
    master="grpc://" + flags.worker_hosts.split(",")[flags.task_index],
    is_chief=is_chief,
    checkpoint_dir=flags.checkpoint_dir,
    hooks=hooks,
    save_checkpoint_secs=None,
    save_checkpoint_steps=flags.save_steps,
    save_summaries_steps=None,
    save_summaries_secs=None,
    log_step_count_steps=None,
    stop_grace_period_secs=1,
    config=config,
  ) as session:
    step, limit = 0, 0 if flags.led else flags.last_step
    while not session.should_stop():
      while step >= limit and flags.led:
        limit = int(sys.stdin.readline())
      _, step, value = session.run([train, global_step, loss], feed(examples.batch()))
      print(f"step {step} loss {value:.4f}", flush=True)
  print("done", flush=True)


if __name__ == "__main__":
  main()
