"""tf.contrib.image: images turned, moved, bent and labelled."""
