"""tf.contrib.data: the names of TensorFlow 1.3 to 1.15 over tf.data."""
