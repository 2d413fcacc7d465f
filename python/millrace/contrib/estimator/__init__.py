"""tf.contrib.estimator: heads as functions."""
