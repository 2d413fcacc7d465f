"""tf.contrib.losses: losses with predictions before labels, and those of learned distances."""
