"""Imports every kind of statement, which registers it."""

import across  # noqa: F401
import branching  # noqa: F401
import by_hand  # noqa: F401
import computing  # noqa: F401
import coordinates  # noqa: F401
import data  # noqa: F401
import defuns  # noqa: F401
import failing  # noqa: F401
import generators  # noqa: F401
import lists  # noqa: F401
import matrices  # noqa: F401
import partitions  # noqa: F401
import ragged  # noqa: F401
import reads  # noqa: F401
import sequences  # noqa: F401
import slopes  # noqa: F401
import special  # noqa: F401
import storing  # noqa: F401
import texts  # noqa: F401
import training  # noqa: F401
import updates  # noqa: F401
import variables  # noqa: F401
import words  # noqa: F401
