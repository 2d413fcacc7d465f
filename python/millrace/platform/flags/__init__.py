# ruff: noqa: F401
"""tf.flags: options of a program's command line, `--name=value`, `--name value`, `--switch`, `--noswitch`."""

from millrace.platform.flags.defining import (
  DEFINE,
  DEFINE_alias,
  DEFINE_bool,
  DEFINE_boolean,
  DEFINE_enum,
  DEFINE_enum_class,
  DEFINE_flag,
  DEFINE_float,
  DEFINE_integer,
  DEFINE_list,
  DEFINE_multi,
  DEFINE_multi_enum,
  DEFINE_multi_enum_class,
  DEFINE_multi_float,
  DEFINE_multi_integer,
  DEFINE_multi_string,
  DEFINE_spaceseplist,
  DEFINE_string,
  adopt_module_key_flags,
  declare_key_flag,
  disclaim_key_flags,
  flag_dict_to_args,
  override_value,
  set_default,
)
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
from millrace.platform.flags.flag import BooleanFlag, EnumClassFlag, EnumFlag, Flag, MultiEnumClassFlag, MultiFlag
from millrace.platform.flags.help_text import doc_to_help, get_help_width, text_wrap
from millrace.platform.flags.parsers import (
  ArgumentParser,
  ArgumentSerializer,
  BaseListParser,
  BooleanParser,
  CsvListSerializer,
  EnumClassListSerializer,
  EnumClassParser,
  EnumClassSerializer,
  EnumParser,
  FloatParser,
  IntegerParser,
  ListParser,
  ListSerializer,
  WhitespaceSeparatedListParser,
)
from millrace.platform.flags.validators import (
  mark_bool_flags_as_mutual_exclusive,
  mark_flag_as_required,
  mark_flags_as_mutual_exclusive,
  mark_flags_as_required,
  multi_flags_validator,
  register_multi_flags_validator,
  register_validator,
  validator,
)
from millrace.platform.flags.values import FLAGS, FlagHolder, FlagValues

from millrace.platform.flags import shared as _shared  # isort: skip (it takes the place of some of the names above)

if _shared.wanted():
  globals().update(_shared.names())
