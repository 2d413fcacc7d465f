"""tf.contrib.tpu: estimators of programs that could also run on TPUs, which train on CPUs and GPUs here."""
