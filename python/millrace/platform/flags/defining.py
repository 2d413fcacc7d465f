"""DEFINE_string and the other functions that define flags. Each returns a FlagHolder.

Further arguments of all: `flag_values` (default FLAGS), `required`, `short_name`, `module_name`, `allow_override` and others of
Flag. `flag_name`, `default_value` and `docstring` are older names of the first arguments.
"""

import functools

from millrace.platform.flags import errors, parsers, validators
from millrace.platform.flags import flag as flag_module
from millrace.platform.flags.values import FLAGS, FlagHolder, calling_module

_OLDER_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _defining(function):
  @functools.wraps(function)
  def with_older_names(*args, **kwargs):
    for old, new in _OLDER_NAMES.items():
      if old in kwargs:
        kwargs[new] = kwargs.pop(old)
    return function(*args, **kwargs)

  return with_older_names


def DEFINE_flag(flag, flag_values=FLAGS, module_name=None, required=False):
  """Adds a flag. With `required`, its value must not be None when the command line was read."""
  if required and flag.default is not None:
    raise ValueError("Required flag --%s cannot have a non-None default" % flag.name)
  flag_values[flag.name] = flag
  flag_values.register_flag_by_module(module_name or calling_module(), flag)
  if required:
    validators.mark_flag_as_required(flag.name, flag_values)
  return FlagHolder(flag_values, flag, ensure_non_none_value=flag.default is not None or required)


def _split(args):
  """The arguments of DEFINE_flag among those of a function that defines a flag."""
  return {
    "flag_values": args.pop("flag_values", FLAGS),
    "module_name": args.pop("module_name", None),
    "required": args.pop("required", False),
  }


def DEFINE(parser, name, default, help, flag_values=FLAGS, serializer=None, module_name=None, required=False, **args):
  """Adds a flag whose values the given parser reads."""
  return DEFINE_flag(flag_module.Flag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


def _within_bounds(holder, flag_values):
  """Lets values that a program sets itself be checked as those of the command line are."""
  parser = holder._flag.parser
  if parser.lower_bound is not None or parser.upper_bound is not None:

    def checker(value):
      if value is not None and parser.is_outside_bounds(value):
        raise errors.ValidationError("%s is not %s" % (value, parser.syntactic_help))
      return True

    validators.register_validator(holder.name, checker, flag_values=flag_values)
  return holder


def _simple(parser, serializer, name, default, help, args):
  where = _split(args)
  return DEFINE_flag(flag_module.Flag(parser, serializer, name, default, help, **args), **where)


@_defining
def DEFINE_string(name, default, help, **args):
  return _simple(parsers.ArgumentParser(), parsers.ArgumentSerializer(), name, default, help, args)


@_defining
def DEFINE_boolean(name, default, help, **args):
  where = _split(args)
  return DEFINE_flag(flag_module.BooleanFlag(name, default, help, **args), **where)


@_defining
def DEFINE_bool(name, default, help, **args):
  where = _split(args)
  return DEFINE_flag(flag_module.BooleanFlag(name, default, help, **args), **where)


@_defining
def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, **args):
  parser, values = parsers.FloatParser(lower_bound, upper_bound), args.get("flag_values", FLAGS)
  return _within_bounds(_simple(parser, parsers.ArgumentSerializer(), name, default, help, args), values)


@_defining
def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, **args):
  parser, values = parsers.IntegerParser(lower_bound, upper_bound), args.get("flag_values", FLAGS)
  return _within_bounds(_simple(parser, parsers.ArgumentSerializer(), name, default, help, args), values)


@_defining
def DEFINE_enum(name, default, enum_values, help, **args):
  where = _split(args)
  return DEFINE_flag(flag_module.EnumFlag(name, default, help, enum_values, **args), **where)


@_defining
def DEFINE_enum_class(name, default, enum_class, help, **args):
  where = _split(args)
  return DEFINE_flag(flag_module.EnumClassFlag(name, default, help, enum_class, **args), **where)


@_defining
def DEFINE_list(name, default, help, **args):
  return _simple(parsers.ListParser(), parsers.CsvListSerializer(","), name, default, help, args)


@_defining
def DEFINE_spaceseplist(name, default, help, comma_compat=False, **args):
  parser = parsers.WhitespaceSeparatedListParser(comma_compat=comma_compat)
  return _simple(parser, parsers.ListSerializer(" "), name, default, help, args)


def DEFINE_multi(parser, serializer, name, default, help, flag_values=FLAGS, module_name=None, required=False, **args):
  return DEFINE_flag(flag_module.MultiFlag(parser, serializer, name, default, help, **args), flag_values, module_name, required)


def _multi(parser, serializer, name, default, help, args):
  where = _split(args)
  return DEFINE_flag(flag_module.MultiFlag(parser, serializer, name, default, help, **args), **where)


@_defining
def DEFINE_multi_string(name, default, help, **args):
  return _multi(parsers.ArgumentParser(), parsers.ArgumentSerializer(), name, default, help, args)


@_defining
def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None, **args):
  return _multi(parsers.IntegerParser(lower_bound, upper_bound), parsers.ArgumentSerializer(), name, default, help, args)


@_defining
def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None, **args):
  return _multi(parsers.FloatParser(lower_bound, upper_bound), parsers.ArgumentSerializer(), name, default, help, args)


@_defining
def DEFINE_multi_enum(name, default, enum_values, help, case_sensitive=True, **args):
  parser = parsers.EnumParser(enum_values, case_sensitive)
  return _multi(parser, parsers.ArgumentSerializer(), name, default, "<%s>: %s" % ("|".join(enum_values), help), args)


@_defining
def DEFINE_multi_enum_class(name, default, enum_class, help, **args):
  where = _split(args)
  return DEFINE_flag(flag_module.MultiEnumClassFlag(name, default, help, enum_class, **args), **where)


def DEFINE_alias(name, original_name, flag_values=FLAGS, module_name=None):
  """Adds another name of a flag: both have one value."""
  original = flag_values[original_name]

  class Alias(flag_module.Flag):
    @property
    def value(self):
      return original.value

    @value.setter
    def value(self, value):
      original.value = value

    def parse(self, argument):
      original.parse(argument)
      self.present += 1

    def _set_default(self, value):
      self.default_unparsed = self.default = value
      self.default_as_str = self._text_of(value)

  alias = Alias(
    original.parser, original.serializer, name, original.default, "Alias for --%s." % original_name, boolean=original.boolean
  )
  return DEFINE_flag(alias, flag_values, module_name)


def set_default(flag_holder, value):
  """Changes the default of a flag, given by what defined it."""
  flag_holder._flag_values.set_default(flag_holder.name, value)


def override_value(flag_holder, value):
  """Sets the value of a flag, given by what defined it, as if it came from the command line."""
  flag_holder._flag.value = flag_holder._flag._parse(value)
  flag_holder._flag.using_default_value = False


def declare_key_flag(flag_name, flag_values=FLAGS):
  """Lists a flag of another module in the help of this one."""
  name = flag_name if isinstance(flag_name, str) else flag_name.name
  flag_values.register_key_flag_for_module(calling_module(), flag_values[name])


def adopt_module_key_flags(module, flag_values=FLAGS):
  """Lists all flags of another module in the help of this one."""
  for flag in flag_values.get_key_flags_for_module(module):
    flag_values.register_key_flag_for_module(calling_module(), flag)


def disclaim_key_flags():
  """Of no effect: flags belong to the module that defines them."""


def flag_dict_to_args(flag_map, multi_flags=None):
  """Yields arguments of a command line for a dictionary of values."""
  for name, value in flag_map.items():
    if value is None:
      yield "--%s" % name
    elif isinstance(value, bool):
      yield "--%s" % name if value else "--no%s" % name
    elif isinstance(value, (bytes, str)):
      yield "--%s=%s" % (name, value)
    else:
      try:
        elements = [str(element) for element in value]
      except TypeError:
        yield "--%s=%s" % (name, value)
        continue
      if multi_flags and name in multi_flags:
        for element in elements:
          yield "--%s=%s" % (name, element)
      else:
        yield "--%s=%s" % (name, ",".join(elements))
