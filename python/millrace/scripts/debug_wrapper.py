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


def _hook_class():
  """The class of hooks, made when it is first asked for, so that importing this module is cheap."""
  from millrace.train.session.hooks_base import SessionRunHook

  class LocalCLIDebugHook(SessionRunHook):
    """A hook that does nothing, said once."""

    def __init__(self, *args, **kwargs):
      logging.warning("tfdbg is not part of Millrace: the hook does nothing. tf.RunOptions(trace_level=...) records steps.")

    def add_tensor_filter(self, filter_name, tensor_filter):
      """Of no effect."""

  return LocalCLIDebugHook


_HOOKS = ("LocalCLIDebugHook", "DumpingDebugHook", "TensorBoardDebugHook", "GrpcDebugHook")


def __getattr__(name):
  if name not in _HOOKS:
    raise AttributeError(name)
  made = _hook_class()
  globals().update(dict.fromkeys(_HOOKS, made))
  return made
