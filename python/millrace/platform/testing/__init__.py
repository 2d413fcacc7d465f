"""tf.test: test cases with comparisons of arrays, sessions for tests, numeric gradients, benchmarks, local clusters."""
