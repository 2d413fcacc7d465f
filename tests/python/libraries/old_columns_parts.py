"""What tests of the feature columns of tf.contrib.layers share."""

import millrace as tf

layers = tf.contrib.layers


def run(*fetches, feed=None):
  with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
    return [session.run(f, feed) for f in fetches]


def words(*rows, dtype=tf.string):
  """A SparseTensor of lists of words."""
  indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
  values = [word for row in rows for word in row]
  return tf.SparseTensor(indices, tf.constant(values, dtype), [len(rows), max(len(row) for row in rows)])
