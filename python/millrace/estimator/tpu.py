"""tf.estimator.tpu, which is not offered: its names say what to use."""


def __getattr__(name):
  if name.startswith("__"):
    raise AttributeError(name)
  raise AttributeError(
    f"tf.estimator.tpu.{name} is not part of Millrace. There are no TPUs; use tf.estimator.Estimator and tf.estimator.RunConfig with "
    "CPUs and GPUs of a cluster."
  )
