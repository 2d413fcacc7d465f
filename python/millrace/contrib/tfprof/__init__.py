"""tf.contrib.tfprof: the profiler under its older names."""
