"""Imports every kind of statement, which registers it."""

import computing  # noqa: F401
import reads  # noqa: F401
import updates  # noqa: F401
import variables  # noqa: F401
