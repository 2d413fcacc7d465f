"""tensorflow.python.debug: wrappers of sessions that pass everything on, since there is no debugger here."""

from millrace.platform import logging


class LocalCLIDebugWrapperSession:
  """Passes all on to the session, and says so once."""

  def __init__(self, sess, *args, **kwargs):
    self._sess = sess
    logging.warning("tfdbg is not part of Millrace: the session runs without it. tf.RunOptions(trace_level=...) records steps.")

  def __getattr__(self, name):
    return getattr(self._sess, name)

  def __enter__(self):
    self._sess.__enter__()
    return self

  def __exit__(self, kind, value, trace):
    return self._sess.__exit__(kind, value, trace)

  def add_tensor_filter(self, filter_name, tensor_filter):
    """Of no effect."""


DumpingDebugWrapperSession = TensorBoardDebugWrapperSession = GrpcDebugWrapperSession = LocalCLIDebugWrapperSession


def has_inf_or_nan(datum, tensor):
  """True if an array has an element that is infinite or no number."""
  import numpy as np

  del datum
  return isinstance(tensor, np.ndarray) and tensor.dtype.kind in "fc" and bool(np.any(~np.isfinite(tensor)))


class LocalCLIDebugHook:
  """Of no effect: a hook that does nothing, said once."""

  def __new__(cls, *args, **kwargs):
    import millrace as tf

    logging.warning("tfdbg is not part of Millrace: the hook does nothing.")
    return tf.train.SessionRunHook()


DumpingDebugHook = TensorBoardDebugHook = GrpcDebugHook = LocalCLIDebugHook
