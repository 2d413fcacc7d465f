"""tf.contrib.estimator: what changes estimators of tf.estimator."""
