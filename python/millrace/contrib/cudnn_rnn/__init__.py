"""tf.contrib.cudnn_rnn: the cells that compute what layers of cuDNN do, so that checkpoints of those can be used."""
