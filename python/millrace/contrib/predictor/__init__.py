"""tf.contrib.predictor: trained models as functions from arrays to arrays."""
