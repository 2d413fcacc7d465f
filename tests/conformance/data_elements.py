"""What programs of data sets share."""

import numpy as np
import tensorflow as tf
from compare_clusters import outcome

tf1 = tf.compat.v1
Dataset = tf1.data.Dataset
PLENTY = tf1.RunOptions(timeout_in_ms=60_000)
MOST = 60


def drain(session, fetches, most=MOST):
  """Elements, up to the end or an error of the sequence, which is the last item."""
  seen = []
  while len(seen) < most:
    got = outcome(lambda: session.run(fetches, options=PLENTY))
    seen.append(got)
    if isinstance(got, tuple) and len(got) == 3 and isinstance(got[0], str) and got[0] == "OutOfRangeError":
      break
  return seen


def numbers(*values, dtype=np.int64):
  return Dataset.from_tensor_slices(np.array(values, dtype))
