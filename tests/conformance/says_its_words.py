#!/usr/bin/env python3
"""Stands for a Python: says as JSON what it was asked to run."""

import json
import sys

json.dump(sys.argv[1:], sys.stdout)
