"""tf.contrib.lookup: tables under the names and with the arguments that they had there."""
