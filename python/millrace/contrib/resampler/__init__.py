"""tf.contrib.resampler: images read at given points."""
