"""tf.contrib.util: which ops a GraphDef uses."""
