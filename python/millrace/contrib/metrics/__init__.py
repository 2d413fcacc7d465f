"""tf.contrib.metrics: metrics with predictions before labels, and more of them than tf.metrics has."""
