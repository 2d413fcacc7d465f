"""Errors of flags."""


class Error(Exception):
  """Of all errors of flags."""


class CantOpenFlagFileError(Error):
  """A file of flags cannot be read."""


class DuplicateFlagError(Error):
  """Two flags have one name."""


class IllegalFlagValueError(Error):
  """A flag does not accept a value."""


class UnrecognizedFlagError(Error):
  """A flag that nobody defined."""

  def __init__(self, flagname, flagvalue="", suggestions=None):
    self.flagname = flagname
    self.flagvalue = flagvalue
    text = "Unknown command line flag '%s'" % flagname
    if suggestions:
      text += ". Did you mean: %s ?" % ", ".join(suggestions)
    super().__init__(text)


class UnparsedFlagAccessError(Error):
  """A flag was asked for before the command line was read."""


class ValidationError(Error):
  """A check of values failed."""


class FlagNameConflictsWithMethodError(Error):
  """A flag is called like a method of FlagValues."""
