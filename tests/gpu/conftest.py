"""Tests of GPUs run on the stand-in for CUDA's libraries, and are skipped where it is not built."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cards as cards_module  # noqa: E402


@pytest.fixture
def cards(tmp_path):
  """Makes the cards of the test's machine: cards(count=2, memory_mb=4096)."""
  if not cards_module.there():
    pytest.skip("the stand-in is not built: ninja -C build/dev gpu_standin")
  return lambda **what: cards_module.Cards(tmp_path, **what)
