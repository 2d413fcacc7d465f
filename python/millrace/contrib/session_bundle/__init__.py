"""tf.contrib.session_bundle: exports of graphs and variables as they were made before tf.saved_model."""
