"""tf.contrib.rnn: cells and functions of recurrent networks beside those of tf.nn."""
