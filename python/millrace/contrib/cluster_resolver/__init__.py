"""tf.contrib.cluster_resolver: where the tasks of a cluster are, from a ClusterSpec or from TF_CONFIG."""
