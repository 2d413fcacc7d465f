"""tf.contrib.graph_editor: parts of a graph as views, their ends connected otherwise, and copies of them."""
