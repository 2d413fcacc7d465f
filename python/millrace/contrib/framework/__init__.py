"""tf.contrib.framework: scopes of arguments, variables by their roles, and values from checkpoints."""
