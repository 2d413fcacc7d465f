#!/usr/bin/env python3
"""Stands for the Python of `millrace run`: says as JSON with what words it was started, and the program it was to read."""

import json
import sys

_DESCRIPTOR = 3  # the word behind -c and its text

with open(int(sys.argv[_DESCRIPTOR]), encoding="utf-8") as f:
  json.dump(dict(words=sys.argv[1:], program=f.read()), sys.stdout)
