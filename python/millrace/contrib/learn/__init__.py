"""tf.contrib.learn: estimators and experiments as they were before tf.estimator."""
