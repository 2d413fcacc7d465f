"""license_lstm.cc in stock TensorFlow, with the same seeds and batches."""

import licenses
import numpy as np
import training
from training import tf

TESTS = 10


def loss_of(windows, vocabulary, units):
  """The mean loss of all characters of a window but the first."""
  at = tf.unstack(windows, axis=1)
  kernel = tf.get_variable("kernel", [vocabulary + units, 4 * units], initializer=tf.initializers.glorot_uniform(seed=1))
  bias = tf.get_variable("bias", [4 * units], initializer=tf.initializers.zeros())
  c = h = tf.zeros([tf.shape(windows)[0], units])
  outputs = []
  for character in at[:-1]:
    both = tf.concat([tf.one_hot(character, vocabulary), h], 1)
    i, j, f, o = tf.split(tf.matmul(both, kernel) + bias, 4, 1)
    c = c * tf.sigmoid(f + 1) + tf.sigmoid(i) * tf.tanh(j)
    h = tf.tanh(c) * tf.sigmoid(o)
    outputs.append(h)
  w = tf.get_variable("w", [units, vocabulary], initializer=tf.initializers.glorot_uniform(seed=2))
  b = tf.get_variable("b", [vocabulary], initializer=tf.initializers.zeros())
  logits = tf.matmul(tf.concat(outputs, 0), w) + b
  return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.concat(at[1:], 0), logits=logits))


def main():
  args = training.options(steps=2000, small_steps=400, batch=32, small_batch=16)
  length, units = (12, 32) if args.small else (40, 128)
  text = np.frombuffer(b"".join(licenses.load(args.data)), np.uint8)
  used, characters = np.unique(text, return_inverse=True)
  windows = (len(text) - 1) // length
  first_test = windows - windows // 10

  def batch(numbers):
    return np.stack([characters[n * length : n * length + length + 1] for n in numbers]).astype(np.int32)

  with training.placement():
    x = tf.placeholder(tf.int32, [None, length + 1])
    loss = loss_of(x, len(used), units)
    step = tf.train.create_global_step()
    optimizer = tf.train.AdamOptimizer(0.003)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 5)
    train_op = optimizer.apply_gradients(zip(gradients, variables), step)

  def feed(number):
    return {x: batch(training.batch_of(number, args.batch, first_test))}

  size = (windows - first_test) // TESTS
  tests = [{x: batch(range(first_test + i * size, first_test + (i + 1) * size))} for i in range(TESTS)]
  training.train(args.steps, loss, train_op, step, feed, "test loss", loss, tests)


if __name__ == "__main__":
  main()
