"""tf.contrib.factorization: clusters of points, and matrices as products of smaller ones."""
