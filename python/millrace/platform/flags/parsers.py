"""What turns the texts of a command line into values of flags, and values into texts."""

import csv
import enum
import io


class ArgumentParser:
  """Values are texts. `parse` raises ValueError or TypeError for what it does not accept."""

  syntactic_help = ""

  def parse(self, argument):
    return argument

  def flag_type(self):
    return "string"


class ArgumentSerializer:
  def serialize(self, value):
    return str(value)


class _NumericParser(ArgumentParser):
  """Numbers within bounds, which are allowed values themselves."""

  number_article = number_name = None

  def __init__(self, lower_bound=None, upper_bound=None):
    self.lower_bound = lower_bound
    self.upper_bound = upper_bound
    self.syntactic_help = self._describe()

  def _describe(self):
    low, high, name = self.lower_bound, self.upper_bound, self.number_name
    with_article = "%s %s" % (self.number_article, name)
    if low is not None and high is not None:
      return "%s in the range [%s, %s]" % (with_article, low, high)
    if low == 1:
      return "a positive %s" % name
    if high == -1:
      return "a negative %s" % name
    if low == 0:
      return "a non-negative %s" % name
    if high == 0:
      return "a non-positive %s" % name
    if high is not None:
      return "%s <= %s" % (name, high)
    if low is not None:
      return "%s >= %s" % (name, low)
    return with_article

  def is_outside_bounds(self, val):
    return (self.lower_bound is not None and val < self.lower_bound) or (self.upper_bound is not None and val > self.upper_bound)

  def parse(self, argument):
    value = self.convert(argument)
    if self.is_outside_bounds(value):
      raise ValueError("%s is not %s" % (value, self.syntactic_help))
    return value


class FloatParser(_NumericParser):
  number_article = "a"
  number_name = "number"

  def convert(self, argument):
    if isinstance(argument, bool) or not isinstance(argument, (str, int, float)):
      raise TypeError("Expect argument to be a string, int, or float, found %s" % type(argument))
    return float(argument)

  def flag_type(self):
    return "float"


class IntegerParser(_NumericParser):
  number_article = "an"
  number_name = "integer"

  def convert(self, argument):
    if isinstance(argument, str):
      base = {"0x": 16, "0o": 8}.get(argument[:2].lower(), 10)
      return int(argument, base)
    if isinstance(argument, int) and not isinstance(argument, bool):
      return argument
    raise TypeError("Expect argument to be a string or int, found %s" % type(argument))

  def flag_type(self):
    return "int"


class BooleanParser(ArgumentParser):
  def parse(self, argument):
    if isinstance(argument, str):
      lower = argument.lower()
      if lower in ("true", "t", "1"):
        return True
      if lower in ("false", "f", "0"):
        return False
      raise ValueError("Non-boolean argument to boolean flag", argument)
    if isinstance(argument, int) and bool(argument) == argument:
      return bool(argument)
    if isinstance(argument, int):
      raise ValueError("Non-boolean argument to boolean flag", argument)
    raise TypeError("Non-boolean argument to boolean flag", argument)

  def flag_type(self):
    return "bool"


class EnumParser(ArgumentParser):
  def __init__(self, enum_values, case_sensitive=True):
    if not enum_values:
      raise ValueError('enum_values cannot be empty, found "%s"' % (enum_values,))
    if isinstance(enum_values, str):
      raise ValueError('enum_values cannot be a str, found "%s"' % enum_values)
    self.enum_values = list(enum_values)
    self.case_sensitive = case_sensitive

  def parse(self, argument):
    for value in self.enum_values:
      if argument == value or (not self.case_sensitive and isinstance(argument, str) and argument.upper() == value.upper()):
        return value
    raise ValueError("value should be one of <%s>" % "|".join(self.enum_values))

  def flag_type(self):
    return "string enum"


class EnumClassParser(ArgumentParser):
  """Members of an enum class by their names."""

  def __init__(self, enum_class, case_sensitive=True):
    if not isinstance(enum_class, type) or not issubclass(enum_class, enum.Enum):
      raise TypeError("%s is not a subclass of Enum." % (enum_class,))
    if not enum_class.__members__:
      raise ValueError("enum_class cannot be empty, but %s is empty." % (enum_class,))
    self.enum_class = enum_class
    self._case_sensitive = case_sensitive
    self._members = enum_class.__members__ if case_sensitive else {n.lower(): m for n, m in enum_class.__members__.items()}

  @property
  def member_names(self):
    return list(self._members)

  def parse(self, argument):
    if isinstance(argument, self.enum_class):
      return argument
    name = argument if self._case_sensitive or not isinstance(argument, str) else argument.lower()
    if name not in self._members:
      raise ValueError("value should be one of <%s>" % "|".join(self._members))
    return self._members[name]

  def flag_type(self):
    return "enum class"


class EnumClassSerializer(ArgumentSerializer):
  def __init__(self, lowercase=False):
    self._lowercase = lowercase

  def serialize(self, value):
    return value.name.lower() if self._lowercase else value.name


class ListSerializer(ArgumentSerializer):
  def __init__(self, list_sep):
    self.list_sep = list_sep

  def serialize(self, value):
    return self.list_sep.join([str(element) for element in value])


class EnumClassListSerializer(ListSerializer):
  def __init__(self, list_sep, **kwargs):
    super().__init__(list_sep)
    self._element = EnumClassSerializer(**kwargs)

  def serialize(self, value):
    elements = value if isinstance(value, list) else [value]
    return self.list_sep.join(self._element.serialize(element) for element in elements)


class CsvListSerializer(ListSerializer):
  def serialize(self, value):
    out = io.StringIO()
    csv.writer(out, delimiter=self.list_sep).writerow([str(element) for element in value])
    return out.getvalue().strip()


class BaseListParser(ArgumentParser):
  def __init__(self, token=None, name=None):
    self._token = token
    self._name = name
    self.syntactic_help = "a %s separated list" % name

  def parse(self, argument):
    if isinstance(argument, list):
      return argument
    if not argument:
      return []
    return [piece.strip() for piece in argument.split(self._token)]

  def flag_type(self):
    return "%s separated list of strings" % self._name


class ListParser(BaseListParser):
  def __init__(self):
    super().__init__(",", "comma")

  def parse(self, argument):
    """Returns the texts between commas; one that has commas stands in double quotes."""
    if isinstance(argument, list):
      return argument
    if not argument:
      return []
    try:
      return [piece.strip() for piece in next(csv.reader([argument], strict=True))]
    except csv.Error as error:
      raise ValueError("Unable to parse the value %r as a %s: %s" % (argument, self.flag_type(), error)) from None


class WhitespaceSeparatedListParser(BaseListParser):
  def __init__(self, comma_compat=False):
    self._comma_compat = comma_compat
    super().__init__(None, "whitespace or comma" if comma_compat else "whitespace")

  def parse(self, argument):
    if isinstance(argument, str) and self._comma_compat:
      argument = argument.replace(",", " ")
    return super().parse(argument)
