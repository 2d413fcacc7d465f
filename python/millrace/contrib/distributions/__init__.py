"""tf.contrib.distributions: more distributions than tf.distributions has, mixtures, and transformations of distributions."""
