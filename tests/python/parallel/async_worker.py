"""A worker of asynchronous training, for test_bounded_staleness.py: by the stock client and by `millrace python`.

It makes as many steps in all as each line of its input says, and ends with the input. It says "step N" of each, N being its own
number of steps. Of a gradient, all elements are 1 and the rate is 1/8, so that the variable counts updates.
"""

import argparse
import functools
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.append(os.environ["MILLRACE_PACKAGE"])
import tensorflow.compat.v1 as tf  # noqa: E402
from millrace import parallel  # noqa: E402

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.INFO)
# Sessions look each 30 s whether the chief has initialized the variables.
tf.train.SessionManager.__init__ = functools.partialmethod(tf.train.SessionManager.__init__, recovery_wait_secs=0.1)


def parse():
  parser = argparse.ArgumentParser()
  parser.add_argument("--target", required=True)
  parser.add_argument("--replicas", type=int, required=True)
  parser.add_argument("--replica", type=int, required=True)
  parser.add_argument("--max_ahead", type=int)
  parser.add_argument("--warm_up_steps", type=int, default=0)
  parser.add_argument("--too_long_secs", type=float, default=120)
  parser.add_argument("--resources", action="store_true")
  return parser.parse_args()


def main():
  flags = parse()
  with tf.device("/job:ps/task:0"), tf.variable_scope("", use_resource=flags.resources):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
  with tf.device("/job:worker/task:%d" % flags.replica):
    loss = -tf.reduce_sum(w)
  optimizer = parallel.AsyncReplicasOptimizer(
    tf.train.GradientDescentOptimizer(1 / 8),
    replicas=flags.replicas,
    replica=flags.replica,
    max_ahead=flags.max_ahead,
    warm_up_steps=flags.warm_up_steps,
  )
  train = optimizer.minimize(loss, global_step=step)
  hook = optimizer.make_session_run_hook(report_secs=0, too_long_secs=flags.too_long_secs)
  config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % flags.replica])
  with tf.train.MonitoredTrainingSession(flags.target, flags.replica == 0, hooks=[hook], config=config) as session:
    print("begins", flush=True)
    steps = 0
    for line in sys.stdin:
      while steps < int(line):
        session.run(train)
        steps += 1
        print("step %d" % steps, flush=True)
  print("done", flush=True)


if __name__ == "__main__":
  main()
