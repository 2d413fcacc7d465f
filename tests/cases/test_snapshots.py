"""Snapshots of reference variables through every op, on stock and on Millrace."""

import os

import pytest

pytest.importorskip("tensorflow", reason="no TensorFlow wheel is installed")

import compare_snapshots  # noqa: E402
import exported_cases  # noqa: E402
import our_server  # noqa: E402


@pytest.fixture
def programs():
  for program in (exported_cases.PROGRAM, our_server.COMMAND):
    if not os.path.exists(program):
      pytest.skip(program + " is not built")


@pytest.mark.parametrize("sample", [True, pytest.param(False, marks=pytest.mark.long)], ids=["a_sample", "all"])
def test_who_hands_on_a_buffer(programs, sample, tmp_path, record_property):
  """As on stock, in every case of every op, or of those that $MILLRACE_CASES names."""
  report = compare_snapshots.Report()
  for folder in exported_cases.folders(tmp_path):
    # Cases of two folders have variables of the same names, which a server keeps.
    with our_server.OurServer(os.path.join(folder, "millrace.log")) as server:
      compare_snapshots.compare(folder, server.target(), report, sample)
  record_property("summary", exported_cases.write_deviations("snapshot_deviations_from_stock.txt", report))
  exported_cases.fail_with(report.failures)
  if not sample and not os.environ.get("MILLRACE_CASES"):
    assert report.found_to_bind == set(report.binds), "binds_snapshots.txt names ops that are as on stock"
