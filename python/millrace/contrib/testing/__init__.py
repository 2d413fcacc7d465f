"""tf.contrib.testing: what tests of summaries and of their writers use."""
