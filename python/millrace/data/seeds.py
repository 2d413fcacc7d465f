"""Seeds of data sets: pairs of int64 tensors."""

from millrace import gen
from millrace.framework import constants, convert, dtypes, scopes
from millrace.framework import seeds as random_seeds


def get_seed(seed):
  """Returns two int64 tensors for a seed, a number, a tensor or None. Two zeros mean truly random."""
  seed, seed2 = random_seeds.get_seed(seed)
  if seed is None:
    seed = constants.constant(0, dtype=dtypes.int64, name="seed")
  else:
    seed = convert.convert_to_tensor(seed, dtype=dtypes.int64, name="seed")
  if seed2 is None:
    return seed, constants.constant(0, dtype=dtypes.int64, name="seed2")
  from millrace.ops.math import binary

  with scopes.name_scope("seed2") as scope:
    seed2 = convert.convert_to_tensor(seed2, dtype=dtypes.int64)
    both_zero = gen.logical_and(binary.equal(seed, 0), binary.equal(seed2, 0))
    return seed, gen.select_v2(both_zero, constants.constant(2**31 - 1, dtype=dtypes.int64), seed2, name=scope)
