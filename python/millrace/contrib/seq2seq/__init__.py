"""tf.contrib.seq2seq: decoders of sequences, attention, and losses of sequences."""
