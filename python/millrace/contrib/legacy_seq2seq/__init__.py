"""tf.contrib.legacy_seq2seq: sequence to sequence models of lists of tensors, step after step in the graph."""
