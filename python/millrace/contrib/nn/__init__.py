"""tf.contrib.nn: activations and losses that never came to tf.nn."""
