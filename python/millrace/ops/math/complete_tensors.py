"""tf.Tensor as programs look at it: with its operators, which are set by modules that are loaded with the first tensor otherwise."""

from millrace.framework import graph
from millrace.framework.tensor import Tensor

graph._complete_tensors()

__all__ = ["Tensor"]
