"""tf.contrib.layers: layers as functions, whose defaults arg_scope sets, with initializers, regularizers, summaries."""
