"""tf.contrib.feature_column: input of recurrent models from columns of sequences."""
