"""Einstein's sums over any number of tensors, contracted two at a time."""

import re

import numpy as np

from millrace import gen
from millrace.framework import tensor_shape
from millrace.framework.graph import name_scope
from millrace.ops.math import contraction


def einsum(equation, *inputs, **kwargs):
  """The sum that an equation such as "ij,jk->ik" says; `...` stands for dimensions that broadcast.

  Without an arrow the result has the letters that occur once, in alphabetic order. `name` names the scope; `optimize` and
  `greedy` are taken for compatibility: more than two inputs are always contracted in the order of the greedy search.

  Raises:
    ValueError: for an equation that is wrong or does not fit the inputs.
    TypeError: for other arguments.
  """
  name = kwargs.pop("name", None)
  kwargs.pop("optimize", None)
  kwargs.pop("greedy", None)
  if kwargs:
    unknown = ", ".join(kwargs)
    raise TypeError(f"Invalid keyword arguments for einsum: {unknown}. Valid arguments: name, optimize, greedy.")
  with name_scope(name, "einsum", [equation, inputs]):
    inputs = list(inputs)
    shapes = [_shape(value) for value in inputs]
    terms, output = parse(equation, shapes)
    if len(inputs) <= 2:
      return gen.einsum(inputs, ",".join(terms) + "->" + output)
    for pair, term in contraction.path(terms, output, shapes):
      taken = [inputs.pop(index) for index in pair]
      taken_terms = [terms.pop(index) for index in pair]
      inputs.append(gen.einsum(taken, ",".join(taken_terms) + "->" + term))
      terms.append(term)
    return inputs[0]


def _shape(value):
  """The sizes of the dimensions, None for one that is not known, or None if their number is not known."""
  shape = value.get_shape() if hasattr(value, "get_shape") else tensor_shape.as_shape(np.shape(value))
  return None if shape.ndims is None else shape.as_list()


def parse(equation, shapes):
  """The terms of the inputs and that of the output.

  Raises:
    ValueError: for an equation that is wrong or has another number of terms than there are inputs.
  """
  equation = equation.replace(" ", "")
  match = re.match(r"^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$", equation)
  if not match:
    raise ValueError(f"Subscripts have incorrect format: {equation}")
  terms = match.group(1).split(",")
  if len(terms) != len(shapes):
    raise ValueError(f'Got {len(shapes)} inputs for equation "{equation}", expecting {len(terms)}')
  if match.group(2):
    output = match.group(2)[2:]
    for label in output.replace(".", ""):
      if all(label not in term for term in terms):
        raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    return terms, output
  letters = "".join(terms).replace(".", "")
  once = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
  return terms, ("..." if any("..." in term for term in terms) else "") + once
