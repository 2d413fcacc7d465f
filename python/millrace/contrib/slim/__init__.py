"""tf.contrib.slim: loops of training and evaluation, data from records, and well-known networks."""
