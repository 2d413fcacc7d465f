"""split_embedding.cc in stock TensorFlow, with the same seeds and batches."""

import re

import licenses
import numpy as np
import training
from training import tf

WORDS, COLUMNS = 10, 16


def row_of(word, rows):
  h = 14695981039346656037
  for byte in word:
    h = (h ^ byte) * 1099511628211 % 2**64
  return h % rows


def load(folder, rows):
  """(rows, licenses) of the examples to train and to test with."""
  parts = [([], []), ([], [])]
  number = 0
  texts = licenses.load(folder)
  for license_number, text in enumerate(texts):
    words = [row_of(word.lower(), rows) for word in re.findall(rb"[A-Za-z]+", text)]
    for i in range(0, len(words) - WORDS + 1, WORDS):
      part = parts[1 if number % 5 == 0 else 0]
      part[0].append(words[i : i + WORDS])
      part[1].append(license_number)
      number += 1
  return [(np.array(x, np.int64), np.array(y, np.int32)) for x, y in parts], len(texts)


def main():
  args = training.options(steps=2000, small_steps=1000, batch=32)
  rows = args.rows or (10_000 if args.small else 1_000_000)
  ((words, labels), (test_words, test_labels)), classes = load(args.data, rows)
  with training.placement():
    x = tf.placeholder(tf.int64, [None, WORDS])
    y = tf.placeholder(tf.int32, [None])
    table = tf.get_variable(
      "table",
      [rows, COLUMNS],
      use_resource=True,
      partitioner=tf.fixed_size_partitioner(2),
      initializer=tf.initializers.random_uniform(-0.05, 0.05, seed=1),
    )
    embedded = tf.reduce_mean(tf.nn.embedding_lookup(table, x, partition_strategy="div"), 1)
    w = tf.get_variable("w", [COLUMNS, classes], initializer=tf.initializers.glorot_uniform(seed=2))
    b = tf.get_variable("b", [classes], initializer=tf.initializers.zeros())
    logits = tf.matmul(embedded, w) + b
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    step = tf.train.create_global_step()
    train_op = tf.train.AdagradOptimizer(0.5).minimize(loss, step)
    accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))

  def feed(batch):
    numbers = training.batch_of(batch, args.batch, len(labels))
    return {x: words[numbers], y: labels[numbers]}

  training.train(args.steps, loss, train_op, step, feed, "test accuracy", accuracy, [{x: test_words, y: test_labels}])


if __name__ == "__main__":
  main()
