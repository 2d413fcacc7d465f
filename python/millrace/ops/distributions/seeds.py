"""Seeds of the second and further ops that draw for one distribution."""

import hashlib


def derived_seed(seed, salt):
  """A number from 0 to 2^31 - 1 that follows from the seed and a text; None for no seed."""
  if seed is None:
    return None
  digest = hashlib.md5((str(seed) + salt).encode("utf-8"), usedforsecurity=False).hexdigest()
  return int(digest[:8], 16) & 0x7FFFFFFF
