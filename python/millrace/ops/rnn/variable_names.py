"""Names of the variables of most cells."""

WEIGHTS = "kernel"
BIAS = "bias"
