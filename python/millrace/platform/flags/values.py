"""FlagValues: all flags of a program. Flags are attributes once the command line was read."""

import difflib
import os
import sys

from millrace.platform.flags import help_text
from millrace.platform.flags.errors import (
  CantOpenFlagFileError,
  DuplicateFlagError,
  Error,
  FlagNameConflictsWithMethodError,
  IllegalFlagValueError,
  UnparsedFlagAccessError,
  UnrecognizedFlagError,
  ValidationError,
)
from millrace.platform.flags.flag import Flag

_PACKAGE = "millrace.platform."
_OWN = "millrace.platform.flags"


def calling_module():
  """The name of the module that defines a flag: of the first frame outside of this package's flags."""
  frame = sys._getframe(1)
  while frame is not None:
    name = frame.f_globals.get("__name__", "")
    if not name.startswith(_PACKAGE):
      return (sys.argv[0] if sys.argv and sys.argv[0] else "__main__") if name == "__main__" else name
    frame = frame.f_back
  return "__main__"


class FlagValues:
  def __init__(self):
    self.__dict__["_by_name"] = {}
    self.__dict__["_modules"] = {}  # module: list of flags that it defines
    self.__dict__["_key_flags"] = {}  # module: list of flags that it declares as its own
    self.__dict__["_parsed"] = False
    self.__dict__["_gnu_getopt"] = True

  # Single flags.

  def __setitem__(self, name, flag):
    if not isinstance(flag, Flag):
      raise IllegalFlagValueError(
        "Expect Flag instances, found type %s. Maybe you didn't mean to use FlagValue.__setitem__?" % type(flag)
      )
    if not isinstance(name, str):
      raise Error("Flag name must be a string")
    if not name:
      raise Error("Flag name cannot be empty")
    if " " in name:
      raise Error("Flag name cannot contain a space")
    if name in dir(FlagValues) and not flag.allow_using_method_names:
      raise FlagNameConflictsWithMethodError(
        'Cannot define a flag named "%s". It conflicts with a method on class "FlagValues".' % name
      )
    for key in filter(None, (flag.short_name, name)):
      known = self._by_name.get(key)
      if known is not None and known is not flag and not known.allow_override and not flag.allow_override:
        raise DuplicateFlagError(
          "The flag '%s' is defined twice. First from %s, second from %s. Description from first occurrence: %s"
          % (key, self.find_module_defining_flag(key, "<unknown>"), calling_module(), known.help)
        )
      self._by_name[key] = flag

  def __getitem__(self, name):
    return self._by_name[name]

  def __contains__(self, name):
    return name in self._by_name

  def __len__(self):
    return len(self._by_name)

  def __iter__(self):
    return iter(self._by_name)

  def __dir__(self):
    return sorted(self._by_name)

  def __getattr__(self, name):
    if name == "__flags":  # which programs list
      return self._listed()
    flag = self.__dict__.get("_by_name", {}).get(name)
    if flag is None:
      raise AttributeError(name)
    if self._parsed or flag.present:
      return flag.value
    return self._before_parsing(name, flag)

  def _listed(self):
    return self._by_name

  def _flags(self):
    """All flags by name, which programs ask for to remove them."""
    return self._by_name

  def _before_parsing(self, name, flag):
    raise UnparsedFlagAccessError("Trying to access flag --%s before flags were parsed." % name)

  def __setattr__(self, name, value):
    if name not in self._by_name:
      raise UnrecognizedFlagError(name, value)
    flag = self._by_name[name]
    before = flag.value
    flag.value = value
    try:
      self._check(flag.validators)
    except IllegalFlagValueError:
      flag.value = before
      raise
    flag.using_default_value = False

  def __delattr__(self, name):
    flag = self._by_name.get(name)
    if flag is None:
      raise AttributeError(name)
    for key in [key for key, known in self._by_name.items() if known is flag]:
      del self._by_name[key]
    for by_module in (self._modules, self._key_flags):
      for flags in by_module.values():
        if flag in flags:
          flags.remove(flag)

  def set_default(self, name, value):
    """Changes a flag's default."""
    if name not in self._by_name:
      raise UnrecognizedFlagError(name, value)
    self._by_name[name]._set_default(value)
    self._check(self._by_name[name].validators)

  def get_flag_value(self, name, default):
    """Returns a flag's value, or `default` if it is None."""
    value = self.__getattr__(name)
    return default if value is None else value

  def flag_values_dict(self):
    return {name: flag.value for name, flag in self._by_name.items()}

  def remove_flag_values(self, flag_values):
    for name in list(flag_values):
      self.__delattr__(name)

  def append_flag_values(self, flag_values):
    for name, flag in flag_values._by_name.items():
      if name == flag.name:
        self[name] = flag

  # Modules.

  def register_flag_by_module(self, module_name, flag):
    self._modules.setdefault(module_name, []).append(flag)

  def register_key_flag_for_module(self, module_name, flag):
    flags = self._key_flags.setdefault(module_name, [])
    if flag not in flags:
      flags.append(flag)

  def flags_by_module_dict(self):
    return self._modules

  def key_flags_by_module_dict(self):
    return self._key_flags

  def get_flags_for_module(self, module):
    return list(self._modules.get(module if isinstance(module, str) else module.__name__, []))

  def get_key_flags_for_module(self, module):
    name = module if isinstance(module, str) else module.__name__
    found = list(self._modules.get(name, []))
    return found + [flag for flag in self._key_flags.get(name, []) if flag not in found]

  def find_module_defining_flag(self, flagname, default=None):
    flag = self._by_name.get(flagname)
    for module, flags in self._modules.items():
      if flag in flags:
        return module
    return default

  # The command line.

  def is_parsed(self):
    return self._parsed

  def mark_as_parsed(self):
    self.__dict__["_parsed"] = True

  def unparse_flags(self):
    """Forgets the command line."""
    for flag in self._by_name.values():
      flag.unparse()
    self.__dict__["_parsed"] = False

  def set_gnu_getopt(self, gnu_getopt=True):
    """Whether flags behind other arguments count, which they do unless this is turned off."""
    self.__dict__["_gnu_getopt"] = gnu_getopt

  def is_gnu_getopt(self):
    return self._gnu_getopt

  def __call__(self, argv, known_only=False):
    """Reads a command line, whose first element is the program's name. Returns it with what are no flags.

    With `known_only`, unknown flags are returned too; otherwise they raise UnrecognizedFlagError.
    """
    if isinstance(argv, (str, bytes)):
      raise TypeError("argv should be a tuple/list of strings, not bytes or string.")
    if not argv:
      raise ValueError("argv cannot be an empty list, and must contain the program name as the first element.")
    program, args = argv[0], self.read_flags_from_files(list(argv[1:]), force_gnu=False)
    unknown, rest = self._parse_args(args, known_only)
    for name, value in unknown:
      near = difflib.get_close_matches(name, [n for n in self._by_name if len(n) > 1], 3, 0.8)
      raise UnrecognizedFlagError(name, value, suggestions=near if len(name) > 2 else None)
    self.mark_as_parsed()
    self.validate_all_flags()
    return [program, *rest]

  def _parse_args(self, args, known_only):
    """Returns (unknown flags as pairs, what are no flags) and sets those that are known."""
    unknown, rest, allowed = [], [], set()
    args = iter(args)
    for arg in args:
      if not arg.startswith("-") or arg == "-":
        rest.append(arg)
        if self._gnu_getopt:
          continue
        break
      if arg == "--":
        if known_only:
          rest.append(arg)
        break
      name, has_value, value = arg.lstrip("-").partition("=")
      if not name:
        raise Error("Not a flag: %s" % arg)
      if name == "undefok":
        allowed.update((value if has_value else next(args, "")).split(","))
        continue
      flag, negative = self._by_name.get(name), False
      if flag is None and name.startswith("no"):
        flag = self._by_name.get(name[2:])
        negative = flag is not None
        if negative and not flag.boolean:
          flag, negative = None, False
      if flag is None:
        if known_only:
          rest.append(arg)
        else:
          unknown.append((name, value if has_value else None))
        continue
      if negative:
        if has_value:
          raise ValueError("%s does not take an argument" % arg)
        value = "false"
      elif flag.boolean:
        value = value if has_value else "true"
      elif not has_value:
        value = next(args, None)
        if value is None:
          raise Error("Missing value for flag %s" % arg)
      flag.parse(value)
      flag.using_default_value = False
    rest.extend(args)
    unknown = [(name, value) for name, value in unknown if name not in allowed and not (name[:2] == "no" and name[2:] in allowed)]
    return unknown, rest

  # Files of flags.

  def read_flags_from_files(self, argv, force_gnu=True):
    """Returns the arguments with each --flagfile=FILE replaced by the lines of the file."""
    out, rest = [], list(argv)
    while rest:
      arg = rest.pop(0)
      if arg.startswith(("--flagfile", "-flagfile")) and arg.lstrip("-").split("=")[0] == "flagfile":
        name = arg.partition("=")[2] if "=" in arg else (rest.pop(0) if rest else "")
        if not name:
          continue
        out.extend(self._lines_of(name, []))
        continue
      out.append(arg)
      if arg == "--" or (not arg.startswith("-") and not force_gnu and not self._gnu_getopt):
        out.extend(rest)
        break
    return out

  def _lines_of(self, name, within):
    path = os.path.expanduser(name)
    try:
      with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    except OSError as error:
      raise CantOpenFlagFileError("ERROR:: Unable to open flagfile: %s" % error) from None
    found = []
    for line in lines:
      line = line.strip()
      if not line or line.startswith(("#", "//")):
        continue
      if line.startswith(("--flagfile=", "-flagfile=")):
        inner = line.partition("=")[2]
        if inner not in within:
          found.extend(self._lines_of(inner, [*within, name]))
      else:
        found.append(line)
    return found

  def flags_into_string(self):
    """Returns all flags that have a value as lines of a command line."""
    flags = {flag.name: flag for flag in self._by_name.values()}
    return "".join(flags[name].serialize() + "\n" for name in sorted(flags) if flags[name].value is not None)

  def append_flags_into_file(self, filename):
    with open(filename, "a", encoding="utf-8") as file:
      file.write(self.flags_into_string())

  # Checks and help.

  def validate_all_flags(self):
    """Raises IllegalFlagValueError if a registered check does not hold."""
    checks = []
    for flag in self._by_name.values():
      checks.extend(check for check in flag.validators if check not in checks)
    self._check(checks)

  def _check(self, validators):
    for check in sorted(validators, key=lambda check: check.number):
      try:
        check.verify(self)
      except ValidationError as error:
        raise IllegalFlagValueError("%s: %s" % (check.shown(self), error)) from None

  def get_help(self, prefix="", include_special_flags=True):
    main = sys.argv[0] if sys.argv else ""
    modules = sorted(self._modules, key=lambda name: (name != main, name))
    return help_text.of_modules((name, self.get_key_flags_for_module(name)) for name in modules if self._modules[name])

  def module_help(self, module):
    name = module if isinstance(module, str) else module.__name__
    flags = self.get_key_flags_for_module(name)
    return help_text.of_modules([(name, flags)]) if flags else ""

  def main_module_help(self):
    return self.module_help(sys.argv[0] if sys.argv and sys.argv[0] in self._modules else "__main__")

  def __str__(self):
    return self.get_help()

  def __repr__(self):
    return object.__repr__(self)


class ProgramFlagValues(FlagValues):
  """The flags of the program: they are read from sys.argv when the first one is asked for, if nobody did it before."""

  def _before_parsing(self, name, flag):
    self._parse_flags()
    return flag.value

  def _parse_flags(self):
    """Reads sys.argv, as programs from before TensorFlow 1.5 ask for."""
    self(sys.argv, known_only=True)

  def _listed(self):
    """Flags by name; for programs from before 1.0, their values."""
    from millrace.scripts import hook

    if not self._parsed:
      self._parse_flags()
    return self.flag_values_dict() if hook.installed() == "0.12" else self._by_name


FLAGS = ProgramFlagValues()


class FlagHolder:
  """What defining a flag returns."""

  def __init__(self, flag_values, flag, ensure_non_none_value=False):
    self._flag_values = flag_values
    self._flag = flag
    self._ensure = ensure_non_none_value

  @property
  def name(self):
    return self._flag.name

  @property
  def value(self):
    value = getattr(self._flag_values, self._flag.name)
    if value is None and self._ensure:
      raise IllegalFlagValueError("Unexpected None value for flag %s" % self._flag.name)
    return value

  @property
  def default(self):
    return self._flag.default

  @property
  def present(self):
    return bool(self._flag.present)

  def serialize(self):
    return self._flag.serialize()
