"""tf.contrib.training: hyperparameters, training and evaluation loops, and inputs by buckets, samples and segments of sequences."""
