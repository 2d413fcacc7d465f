"""tf.contrib.opt: optimizers beside those of tf.train, and wrappers that change what an optimizer does."""
