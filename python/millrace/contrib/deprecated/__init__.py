"""tf.contrib.deprecated: summaries under the names from before TensorFlow 1.0."""
