"""What the hints of operators say of what is made of them."""


def check_same_type(operators):
  """The type of the operators. Raises ValueError for no operator, TypeError if they are of several types."""
  if len({operator.dtype for operator in operators}) > 1:
    said = "   ".join(str((operator.name, operator.dtype)) for operator in operators)
    raise TypeError(f"Expected all operators to have the same dtype.  Found {said}")
  return operators[0].dtype


def all_true(operators, hint):
  """Whether all operators are known to have a property."""
  return all(getattr(operator, hint) for operator in operators)


def implied(given, is_so, said):
  """The hint True where that follows. Raises ValueError with a text where False was given."""
  if not is_so:
    return given
  if given is False:
    raise ValueError(said)
  return True


def taken_over(given, of_operator, said):
  """A hint that holds if and only if it holds for the operator that something is made of. ValueError where both contradict."""
  if given is None:
    return of_operator
  if of_operator is not None and bool(given) != bool(of_operator):
    raise ValueError(said)
  return given
