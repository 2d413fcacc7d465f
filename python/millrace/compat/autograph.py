"""tf.autograph, where no function is converted: what tells it to leave functions as they are."""


def do_not_convert(func=None, *args, **kwargs):
  """Returns `func` as it is; without one, a decorator that does."""
  del args, kwargs
  return (lambda function: function) if func is None else func


def set_verbosity(level, alsologtostdout=False):
  """Of no effect."""


def trace(*args):
  """Prints its arguments."""
  print(*args)
