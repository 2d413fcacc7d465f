"""The op that a loaded model runs first."""

import millrace as tf


def main_op():
  """Initializes all variables and tables."""
  init = tf.global_variables_initializer()
  init_local = tf.local_variables_initializer()
  init_tables = tf.tables_initializer()
  return tf.group(init, init_local, init_tables)


def main_op_with_restore(restore_op_name):
  """Initializes variables and tables, then restores by the op of that name."""
  with tf.control_dependencies([main_op()]):
    return tf.group(restore_op_name)
