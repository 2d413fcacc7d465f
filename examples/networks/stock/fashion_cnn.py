"""fashion_cnn.cc in stock TensorFlow, with the same seeds and batches."""

import gzip
import os

import numpy as np
import training
from training import tf

TEST_BATCH = 500


def load(folder, part):
  with gzip.open(os.path.join(folder, f"{part}-images-idx3-ubyte.gz")) as f:
    images = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 784)
  with gzip.open(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz")) as f:
    labels = np.frombuffer(f.read(), np.uint8, offset=8).astype(np.int32)
  return images, labels


def dense(name, x, units, initializer):
  w = tf.get_variable(name + "/kernel", [x.shape[1], units], initializer=initializer)
  b = tf.get_variable(name + "/bias", [units], initializer=tf.initializers.zeros())
  return tf.matmul(x, w) + b


def logits_of(images, small):
  x = tf.reshape(tf.cast(images, tf.float32) * (1 / 255), [-1, 28, 28, 1])
  seed, channels = 1, 1
  for filters in [8, 16] if small else [32, 64]:
    kernel = tf.get_variable(f"kernel{seed}", [5, 5, channels, filters], initializer=tf.initializers.he_normal(seed=seed))
    bias = tf.get_variable(f"bias{seed}", [filters], initializer=tf.initializers.zeros())
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"), bias))
    x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    seed, channels = seed + 1, filters
  x = tf.reshape(x, [-1, 7 * 7 * channels])
  x = tf.nn.relu(dense("hidden", x, 64 if small else 256, tf.initializers.he_normal(seed=seed)))
  return dense("logits", x, 10, tf.initializers.glorot_uniform(seed=seed + 1))


def main():
  args = training.options(steps=2000, small_steps=150, batch=50)
  folder = args.data or os.environ.get("FASHION_MNIST_DIR", "/usr/share/datasets/fashion-mnist")
  images, labels = load(folder, "train")
  test_images, test_labels = load(folder, "t10k")
  with training.placement():
    x = tf.placeholder(tf.uint8, [None, 784])
    y = tf.placeholder(tf.int32, [None])
    logits = logits_of(x, args.small)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    step = tf.train.create_global_step()
    train_op = tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss, step)
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))

  def feed(batch):
    numbers = training.batch_of(batch, args.batch, len(labels))
    return {x: images[numbers], y: labels[numbers]}

  tests = [
    {x: test_images[i : i + TEST_BATCH], y: test_labels[i : i + TEST_BATCH]} for i in range(0, len(test_labels), TEST_BATCH)
  ]
  training.train(args.steps, loss, train_op, step, feed, "test accuracy", accuracy, tests)


if __name__ == "__main__":
  main()
