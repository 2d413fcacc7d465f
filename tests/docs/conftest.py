"""The tests ask what makes the pages (tools/docs)."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "docs"))
