"""Whether layers are called for training: layers inside of a layer take what their owner was called with."""

import contextlib
import threading


class _Mode(threading.local):
  training = None


_mode = _Mode()


@contextlib.contextmanager
def of_call(names, args, kwargs):
  """Around `call(inputs, *args, **kwargs)` of a layer whose arguments `names` says with their places.

  Where the layer has an argument `training` and was not given it, it gets that of the layer around it.
  """
  place = names.get("training")
  before = _mode.training
  if place is None:
    value = before
  elif kwargs.get("training") is not None:
    value = kwargs["training"]
  elif place - 1 < len(args) and args[place - 1] is not None:
    value = args[place - 1]
  else:
    value = before
    if value is not None:
      if place - 1 < len(args):
        raise TypeError("The argument `training` of a layer's call is None, but the layer around it has a value for it.")
      kwargs["training"] = value
  _mode.training = value
  try:
    yield
  finally:
    _mode.training = before
