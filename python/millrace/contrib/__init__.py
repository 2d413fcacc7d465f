"""tf.contrib: libraries that programs of TensorFlow 1 use beside the core."""
