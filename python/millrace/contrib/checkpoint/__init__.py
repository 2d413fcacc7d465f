"""tf.contrib.checkpoint: objects whose attributes tf.train.Checkpoint saves."""
