"""tf.test.mock: Python's own."""

from unittest import mock as mock  # noqa: PLC0414
