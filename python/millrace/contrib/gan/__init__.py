"""tf.contrib.gan: generative adversarial networks, of models as functions, losses, and training that takes turns."""
