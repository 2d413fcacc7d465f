"""How long a step of tf.nn.dynamic_rnn takes, by Millrace's package, by TensorFlow 2.15.1, the last one that has its cells, and by the
same network written as a tf.while_loop in TensorFlow 2.21.

`dynamic_rnn.py [--cell lstm] [--units 128] [--batch 64] [--steps 20] [--lengths] [--runs 60] [--rounds 3]` runs each side in a
process of its own, in turns, and prints a line a kind of step: without gradients, and with those of all variables. A figure is
the median of the round that was fastest. Nothing else may run meanwhile.

Millrace's package is taken from $MILLRACE_PYTHON, otherwise from build/release/python, TensorFlow 2.15.1 from .venv_libraries and 2.21
from .venv. The loop is there for `--cell lstm` without `--lengths`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIDES = ("millrace", "stock", "loop")
KINDS = ("forward", "gradient")
GOAL = 1.5  # times as fast as stock, with gradients


def import_side(side):
  if side == "millrace":
    import millrace as tf

    return tf
  import tensorflow.compat.v1 as tf

  tf.disable_v2_behavior()
  tf.logging.set_verbosity(tf.logging.ERROR)
  return tf


def lstm_loop(tf, x, units):
  """Returns the outputs of an LSTM over the steps of x [batch, steps, features], as LSTMCell computes them."""
  features = int(x.shape[2])
  kernel = tf.get_variable("kernel", [features + units, 4 * units])
  bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
  by_step = tf.transpose(x, [1, 0, 2])
  steps, batch = tf.shape(by_step)[0], tf.shape(by_step)[1]
  inputs = tf.TensorArray(tf.float32, steps).unstack(by_step)
  outputs = tf.TensorArray(tf.float32, steps)

  def step(t, outputs, c, h):
    gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs.read(t), h], 1), kernel), bias)
    i, j, f, o = tf.split(gates, 4, 1)
    c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
    h = tf.sigmoid(o) * tf.tanh(c)
    return t + 1, outputs.write(t, h), c, h

  zeros = tf.zeros([batch, units])
  zeros.set_shape([None, units])
  _, outputs, _, _ = tf.while_loop(lambda t, *_: t < steps, step, [0, outputs, zeros, zeros])
  return tf.transpose(outputs.stack(), [1, 0, 2])


def build(tf, options):
  """Returns (placeholders with their values, {kind: what a session runs})."""
  import numpy as np

  generator = np.random.RandomState(0)
  x = tf.placeholder(tf.float32, [options.batch, options.steps, options.units])
  feed = {x: generator.rand(options.batch, options.steps, options.units).astype(np.float32)}
  outputs = lstm_loop(tf, x, options.units) if options.side == "loop" else rnn(tf, x, feed, generator, options)
  loss = tf.reduce_sum(outputs)
  gradients = tf.gradients(loss, tf.trainable_variables())
  return feed, {"forward": loss.op, "gradient": tf.group(*gradients)}


def rnn(tf, x, feed, generator, options):
  """Returns the outputs of tf.nn.dynamic_rnn; adds to `feed` what else it needs."""
  kinds = {"lstm": tf.nn.rnn_cell.LSTMCell, "basic_lstm": tf.nn.rnn_cell.BasicLSTMCell, "gru": tf.nn.rnn_cell.GRUCell}
  lengths = None
  if options.lengths:
    lengths = tf.placeholder(tf.int32, [options.batch])
    feed[lengths] = generator.randint(1, options.steps + 1, options.batch)
  cell = kinds[options.cell](options.units)
  outputs, _ = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
  return outputs


def measure(side, options):
  """Returns {kind: median time of a step in milliseconds}."""
  tf = import_side(side)
  feed, fetches = build(tf, options)
  found = {}
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for kind in KINDS:
      for _ in range(10):
        session.run(fetches[kind], feed)
      times = []
      for _ in range(options.runs):
        start = time.perf_counter()
        session.run(fetches[kind], feed)
        times.append(time.perf_counter() - start)
      found[kind] = statistics.median(times) * 1e3
  return found


def run_side(side, words):
  """Runs this program for one side in a process of its own; returns what measure() found."""
  environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
  python = sys.executable
  if side == "millrace":
    folder = os.environ.get("MILLRACE_PYTHON") or os.path.join(ROOT, "build", "release", "python")
    environment["PYTHONPATH"] = os.pathsep.join([folder] + environment.get("PYTHONPATH", "").split(os.pathsep))
  else:
    python = os.path.join(ROOT, ".venv_libraries" if side == "stock" else ".venv", "bin", "python")
  done = subprocess.run(
    [python, os.path.abspath(__file__), *words, "--side", side], env=environment, capture_output=True, text=True, check=False
  )
  if done.returncode != 0:
    raise SystemExit("%s failed:\n%s" % (side, done.stderr[-4000:]))
  return json.loads(done.stdout.splitlines()[-1])


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--cell", choices=["lstm", "basic_lstm", "gru"], default="lstm")
  parser.add_argument("--units", type=int, default=128)
  parser.add_argument("--batch", type=int, default=64)
  parser.add_argument("--steps", type=int, default=20)
  parser.add_argument("--lengths", action="store_true", help="with sequences of different lengths")
  parser.add_argument("--runs", type=int, default=60, help="of a kind in a round")
  parser.add_argument("--rounds", type=int, default=3)
  parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
  options = parser.parse_args()
  if options.side:
    print(json.dumps(measure(options.side, options)))
    return 0
  sides = [side for side in SIDES if side != "loop" or (options.cell == "lstm" and not options.lengths)]
  best = {side: {} for side in sides}
  for _ in range(options.rounds):
    for side in sides:
      for kind, figure in run_side(side, sys.argv[1:]).items():
        best[side][kind] = min(figure, best[side].get(kind, figure))
  for kind in KINDS:
    ours = best["millrace"][kind]
    goal = "" if kind == "forward" else ", goal %.1f" % GOAL
    print("%-9s millrace %7.2f ms" % (kind, ours))
    for side in sides[1:]:
      print("%-9s %-8s %7.2f ms   %.2f times as fast%s" % (kind, side, best[side][kind], best[side][kind] / ours, goal))
  return 0


if __name__ == "__main__":
  sys.exit(main())
