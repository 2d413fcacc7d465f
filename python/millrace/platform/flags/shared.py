"""tf.flags over absl's flags, for programs that import absl: what is defined and read by one is there for the other.

TensorFlow's flags are absl's, and libraries mix both: one file defines flags by `absl.flags`, another by `tf.flags`, and either's
`app.run` reads the command line.
"""

import functools
import importlib.util
import sys

# Older names of the first arguments of DEFINE_string and others.
_OLDER_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def wanted():
  """True if the program uses absl, or runs in TensorFlow's place in a Python that has absl; one from before 1.0 does not."""
  from millrace.scripts import hook

  if hook.installed() == "0.12" or not (hook.installed() or "absl" in sys.modules):
    return False
  return "absl.flags" in sys.modules or importlib.util.find_spec("absl") is not None


class SharedFlagValues:
  """absl's flags, which are read from sys.argv when the first one is asked for, if nobody did it before."""

  def __init__(self, values):
    self.__dict__["_values"] = values

  def __getattr__(self, name):
    values = self.__dict__["_values"]
    if name in values or name == "__flags":
      if not values.is_parsed():
        self._parse_flags()
      return {flag: values[flag] for flag in values} if name == "__flags" else getattr(values, name)
    return getattr(values, name)

  def _parse_flags(self):
    """Reads sys.argv, as programs from before TensorFlow 1.5 ask for."""
    self._values(sys.argv, known_only=True)

  def __setattr__(self, name, value):
    setattr(self._values, name, value)

  def __delattr__(self, name):
    delattr(self._values, name)

  def __getitem__(self, name):
    return self._values[name]

  def __setitem__(self, name, flag):
    self._values[name] = flag

  def __contains__(self, name):
    return name in self._values

  def __dir__(self):
    return dir(self._values)

  def __len__(self):
    return len(self._values)

  def __iter__(self):
    return iter(self._values)

  def __str__(self):
    return str(self._values)

  def __call__(self, argv, known_only=False):
    return self._values(argv, known_only)


def _with_older_names(function):
  @functools.wraps(function)
  def defining(*args, **kwargs):
    for old, new in _OLDER_NAMES.items():
      if old in kwargs:
        kwargs[new] = kwargs.pop(old)
    return function(*args, **kwargs)

  return defining


def names():
  """The names of tf.flags: absl's, with FLAGS that read themselves."""
  from absl import flags

  # Flags belong to the module that defines them, for which absl looks outside of those that it is told of.
  flags.disclaim_key_flags()
  found = {}
  for name in dir(flags):
    if not name.startswith("_"):
      value = getattr(flags, name)
      found[name] = _with_older_names(value) if name.startswith("DEFINE_") else value
  found["FLAGS"] = SharedFlagValues(flags.FLAGS)
  return found
