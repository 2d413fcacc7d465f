"""tf.contrib.saved_model: signatures of meta graphs by their keys."""
