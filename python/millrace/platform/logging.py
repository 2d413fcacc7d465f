"""tf.logging: messages to stderr as `LEVEL:tensorflow:text`, by Python's logging under the name "tensorflow"."""

import logging as _logging
import sys
import threading

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARNING
ERROR = _logging.ERROR
FATAL = _logging.FATAL

_lock = threading.Lock()
_logger = None
_counts = {}


class _Handler(_logging.StreamHandler):
  """Writes to whatever sys.stderr is at the time; within an interactive interpreter what is no warning goes to stdout."""

  def __init__(self, interactive):
    _logging.Handler.__init__(self)
    self._interactive = interactive

  @property
  def stream(self):
    return sys.stdout if self._interactive else sys.stderr


def get_logger():
  """Returns Python's logger that all messages go to."""
  global _logger
  if _logger is not None:
    return _logger
  with _lock:
    if _logger is not None:
      return _logger
    logger = _logging.getLogger("tensorflow")
    logger.setLevel(WARN)
    if not _logging.getLogger().handlers:
      # Nobody has set up logging, so there has to be a handler of our own.
      interactive = hasattr(sys, "ps1") or bool(sys.flags.interactive)
      if interactive:
        logger.setLevel(INFO)
      handler = _Handler(interactive)
      handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT, None))
      logger.addHandler(handler)
      logger.propagate = False
    _logger = logger
    return logger


def log(level, msg, *args, **kwargs):
  get_logger().log(level, msg, *args, **kwargs)


def debug(msg, *args, **kwargs):
  get_logger().debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
  get_logger().info(msg, *args, **kwargs)


def warn(msg, *args, **kwargs):
  get_logger().warning(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
  get_logger().warning(msg, *args, **kwargs)


def error(msg, *args, **kwargs):
  get_logger().error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
  """Logs at the highest level. The program goes on."""
  get_logger().fatal(msg, *args, **kwargs)


def vlog(level, msg, *args, **kwargs):
  get_logger().log(level, msg, *args, **kwargs)


def flush():
  """Not offered: handlers write at once. Raises NotImplementedError, as TensorFlow's does."""
  raise NotImplementedError


def TaskLevelStatusMessage(msg):
  error(msg)


def log_if(level, msg, condition, *args):
  """Logs if the condition holds."""
  if condition:
    vlog(level, msg, *args)


def _count(token):
  """How often it was asked for this token before."""
  with _lock:
    _counts[token] = _counts.get(token, -1) + 1
    return _counts[token]


def _caller():
  frame = sys._getframe(2)
  return frame.f_code, frame.f_lineno


def log_every_n(level, msg, n, *args):
  """Logs the first call of this line, and every n-th after it."""
  log_if(level, msg, not _count(_caller()) % n, *args)


def log_first_n(level, msg, n, *args):
  """Logs the first n calls of this line."""
  log_if(level, msg, _count(_caller()) < n, *args)


def get_verbosity():
  """Returns the lowest level that is logged."""
  return get_logger().getEffectiveLevel()


def set_verbosity(v):
  """Sets the lowest level that is logged: a number or a name such as "INFO"."""
  get_logger().setLevel(v)
