"""Puts the package of the build before the folder of the sources, which has its name."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pair_runner  # noqa: E402

sys.path.insert(0, pair_runner.package_folder())
