"""Checks of the values of flags, made when the command line is read and when a value is set."""

import itertools
import warnings

from millrace.platform.flags.errors import ValidationError
from millrace.platform.flags.values import FLAGS

_numbers = itertools.count()


def _name(flag):
  return flag if isinstance(flag, str) else flag.name


class _Check:
  """Of one flag or several: `checker` gets the value, or a dictionary of values."""

  def __init__(self, names, checker, message, single):
    self.number = next(_numbers)
    self.names = names
    self._checker = checker
    self._message = message
    self._single = single

  def shown(self, values):
    shown = ", ".join("%s=%s" % (name, values[name].value) for name in self.names)
    return "flag --%s" % shown if self._single else "flags %s" % shown

  def verify(self, values):
    argument = values[self.names[0]].value if self._single else {name: values[name].value for name in self.names}
    if not self._checker(argument):
      raise ValidationError(self._message)


def _add(names, checker, message, flag_values, single):
  check = _Check(names, checker, message, single)
  for name in names:
    flag_values[name].validators.append(check)


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=FLAGS):
  """From now on `checker(value)` has to be true, or raise ValidationError itself."""
  _add([_name(flag_name)], checker, message, flag_values, True)


def validator(flag_name, message="Flag validation failed", flag_values=FLAGS):
  """Decorates a function as register_validator takes it."""

  def decorate(function):
    register_validator(flag_name, function, message, flag_values)
    return function

  return decorate


def register_multi_flags_validator(flag_names, multi_flags_checker, message="Flags validation failed", flag_values=FLAGS):
  """As register_validator for several flags: the checker gets a dictionary of their values."""
  _add([_name(flag) for flag in flag_names], multi_flags_checker, message, flag_values, False)


def multi_flags_validator(flag_names, message="Flag validation failed", flag_values=FLAGS):
  def decorate(function):
    register_multi_flags_validator(flag_names, function, message, flag_values)
    return function

  return decorate


def mark_flag_as_required(flag_name, flag_values=FLAGS):
  """The flag's value must not be None."""
  name = _name(flag_name)
  if flag_values[name].default is not None:
    warnings.warn("Flag --%s has a non-None default value; therefore, mark_flag_as_required will pass." % name, stacklevel=2)
  register_validator(name, lambda value: value is not None, "Flag --%s must have a value other than None." % name, flag_values)


def mark_flags_as_required(flag_names, flag_values=FLAGS):
  for name in flag_names:
    mark_flag_as_required(name, flag_values)


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
  """At most one of the flags (with `required`, exactly one) may have a value other than None."""
  names = [_name(flag) for flag in flag_names]

  def checker(values):
    count = sum(value is not None for value in values.values())
    return count == 1 or (not required and count == 0)

  message = "%s one of (%s) must have a value other than None." % ("Exactly" if required else "At most", ", ".join(names))
  register_multi_flags_validator(names, checker, message, flag_values)


def mark_bool_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
  """At most one of the flags (with `required`, exactly one) may be true."""
  names = [_name(flag) for flag in flag_names]

  def checker(values):
    count = sum(bool(value) for value in values.values())
    return count == 1 or (not required and count == 0)

  message = "%s one of (%s) must be True." % ("Exactly" if required else "At most", ", ".join(names))
  register_multi_flags_validator(names, checker, message, flag_values)
