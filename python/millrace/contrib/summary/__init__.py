"""tf.contrib.summary: summaries that ops write to files while a step runs."""
