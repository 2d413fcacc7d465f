"""Checks of the arguments of losses."""


def check_given(**arguments):
  """Raises ValueError for the first argument that is None."""
  for name, value in arguments.items():
    if value is None:
      raise ValueError(f"Argument `{name}` must not be None.")
