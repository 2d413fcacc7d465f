"""Single ops at sizes of real programs, by family. OPS has them by name."""

from ops import arrays, elementwise, gradients, images, networks, products, programs, reductions, signals, sparse, strings  # noqa: F401
from ops.rows import OPS  # noqa: F401
