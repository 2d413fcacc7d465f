#!/usr/bin/env python3
"""Writes millrace/ops/unicode/script_ranges.h: the scripts of all code points, as stock TensorFlow's UnicodeScript gives them.

  .venv/bin/python tools/unicode_scripts.py

Needs the virtual environment of ./dev test.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.path.join(ROOT, "millrace", "ops", "unicode", "script_ranges.h")
CODE_POINTS = 0x110000

BEFORE = """// The scripts of code points, written by tools/unicode_scripts.py.
#pragma once

#include <cstdint>

namespace millrace::ops {

// Holds the ranges of code points of one script, in order, up to the next
// range: the first code point, shifted left by 8 bits, and the number of the
// script.
// clang-format off
inline constexpr uint32_t kScriptRanges[] = {
"""
AFTER = """};
// clang-format on

}  // namespace millrace::ops
"""


def ranges(scripts):
  """(first code point, script) of each run of equal scripts."""
  previous = None
  for code, script in enumerate(scripts):
    if script != previous:
      yield code, script
      previous = script


def scripts_of_stock():
  import tensorflow as tf

  return tf.strings.unicode_script(tf.range(CODE_POINTS)).numpy().tolist()


def main():
  numbers = ["0x%x," % (code << 8 | script) for code, script in ranges(scripts_of_stock())]
  with open(HEADER, "w", encoding="utf-8") as f:
    f.write(BEFORE)
    for i in range(0, len(numbers), 9):
      f.write("    %s\n" % " ".join(numbers[i : i + 9]))
    f.write(AFTER)


if __name__ == "__main__":
  main()
