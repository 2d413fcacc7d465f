"""Single flags: a name, what reads its value, the default and the present value."""

import functools

from millrace.platform.flags import parsers
from millrace.platform.flags.errors import Error, IllegalFlagValueError


@functools.total_ordering
class Flag:
  def __init__(
    self,
    parser,
    serializer,
    name,
    default,
    help_string,
    short_name=None,
    boolean=False,
    allow_override=False,
    allow_override_cpp=False,
    allow_hide_cpp=False,
    allow_overwrite=True,
    allow_using_method_names=False,
  ):
    self.name = name
    self.help = help_string or "(no help available)"
    self.short_name = short_name
    self.boolean = boolean
    self.present = 0  # how often it stood on the command line
    self.parser = parser
    self.serializer = serializer
    self.allow_override = allow_override
    self.allow_override_cpp = allow_override_cpp
    self.allow_hide_cpp = allow_hide_cpp
    self.allow_overwrite = allow_overwrite
    self.allow_using_method_names = allow_using_method_names
    self.using_default_value = True
    self.validators = []
    self._value = None
    self._set_default(default)

  @property
  def value(self):
    return self._value

  @value.setter
  def value(self, value):
    self._value = value

  def __hash__(self):
    return hash(id(self))

  def __eq__(self, other):
    return self is other

  def __lt__(self, other):
    return id(self) < id(other) if isinstance(other, Flag) else NotImplemented

  def _parse(self, argument):
    try:
      return self.parser.parse(argument)
    except (TypeError, ValueError) as error:
      raise IllegalFlagValueError("flag --%s=%s: %s" % (self.name, argument, error)) from None

  def parse(self, argument):
    """Takes a value of the command line."""
    if self.present and not self.allow_overwrite:
      raise IllegalFlagValueError("flag --%s=%s: already defined as %s" % (self.name, argument, self.value))
    self.value = self._parse(argument)
    self.present += 1

  def unparse(self):
    """Goes back to the default."""
    self.value = self.default
    self.using_default_value = True
    self.present = 0

  def serialize(self):
    """Returns the flag as it would stand on a command line."""
    return self._serialize(self.value)

  def _serialize(self, value):
    if value is None:
      return ""
    if self.boolean:
      return "--%s" % self.name if value else "--no%s" % self.name
    if not self.serializer:
      raise Error("Serializer not present for flag %s" % self.name)
    return "--%s=%s" % (self.name, self.serializer.serialize(value))

  def _set_default(self, value):
    self.default_unparsed = value
    self.default = None if value is None else self._parse_from_default(value)
    self.default_as_str = self._text_of(self.default)
    if self.using_default_value:
      self.value = self.default

  def _parse_from_default(self, value):
    return self._parse(value)

  def _text_of(self, value):
    """The value as help shows it, or None."""
    if value is None:
      return None
    if self.boolean:
      return repr("true" if value else "false")
    return repr(self.serializer.serialize(value) if self.serializer else str(value))

  def flag_type(self):
    return self.parser.flag_type()


class BooleanFlag(Flag):
  def __init__(self, name, default, help, short_name=None, **args):
    super().__init__(parsers.BooleanParser(), None, name, default, help, short_name, True, **args)


class EnumFlag(Flag):
  def __init__(self, name, default, help, enum_values, short_name=None, case_sensitive=True, **args):
    parser = parsers.EnumParser(enum_values, case_sensitive)
    super().__init__(parser, parsers.ArgumentSerializer(), name, default, help, short_name, **args)
    self.help = "<%s>: %s" % ("|".join(parser.enum_values), self.help)


class EnumClassFlag(Flag):
  def __init__(self, name, default, help, enum_class, short_name=None, case_sensitive=False, **args):
    parser = parsers.EnumClassParser(enum_class, case_sensitive)
    super().__init__(parser, parsers.EnumClassSerializer(not case_sensitive), name, default, help, short_name, **args)
    self.help = "<%s>: %s" % ("|".join(parser.member_names), self.help)


class MultiFlag(Flag):
  """A flag that may stand several times; its value is the list of all its values."""

  def __init__(self, *args, **kwargs):
    super().__init__(*args, **kwargs)
    self.help += ";\n  repeat this option to specify a list of values"

  def parse(self, arguments):
    new = self._parse(arguments)
    self.value = self.value + new if self.present else new
    self.present += len(new)

  def _parse(self, arguments):
    elements = arguments if isinstance(arguments, list) else [arguments]
    return [super(MultiFlag, self)._parse(element) for element in elements]

  def _parse_from_default(self, value):
    return self._parse(list(value) if isinstance(value, (tuple, set)) else value)

  def _serialize(self, value):
    if not self.serializer:
      raise Error("Serializer not present for flag %s" % self.name)
    return "\n".join("--%s=%s" % (self.name, self.serializer.serialize(element)) for element in value or ())

  def _text_of(self, value):
    if value is None:
      return None
    return repr(str([self.serializer.serialize(v) if not isinstance(v, (int, float)) else v for v in value]))

  def flag_type(self):
    return "multi " + self.parser.flag_type()


class MultiEnumClassFlag(MultiFlag):
  def __init__(self, name, default, help_string, enum_class, case_sensitive=False, **args):
    parser = parsers.EnumClassParser(enum_class, case_sensitive)
    super().__init__(parser, parsers.EnumClassSerializer(not case_sensitive), name, default, help_string, **args)
    self.help = "<%s>: %s" % ("|".join(parser.member_names), self.help)
