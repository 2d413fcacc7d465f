"""tf.contrib.copy_graph: ops and variables of a graph in another one."""
