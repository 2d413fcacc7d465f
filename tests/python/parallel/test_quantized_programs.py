"""The programs `quantized` of examples/parallel in their small form, in Python and C++: what their tables must say."""

import os
import pathlib
import re
import subprocess
import sys

import pair_runner
import pytest

from task_servers import COMMAND

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "examples" / "parallel" / "python" / "quantized.py"
PROGRAM = os.path.join(os.path.dirname(pair_runner.package_folder()), "examples", "millrace_parallel")
UNITS = {"": 1, "%": 0.01, "kB": 1e3}

PYTHON = [COMMAND, "python", "--python", sys.executable, str(SCRIPT)]


def number(cell):
  value, _, unit = cell.partition(" ")
  return float(value.replace(",", "")) * UNITS[unit]


@pytest.mark.parametrize("words", [PYTHON, [PROGRAM, "quantized"]], ids=["python", "cpp"])
def test_small(words, tmp_path):
  if not os.path.exists(words[0]):
    pytest.skip("%s is not built" % words[0])
  done = subprocess.run([*words, "--small", "--out", str(tmp_path)], capture_output=True, text=True, timeout=120, check=False)
  assert done.returncode == 0, done.stdout + done.stderr
  lines = [line for line in (tmp_path / "TABLE.md").read_text().splitlines() if re.match(r"\| (float|8 bits) ", line)]
  floats, in_bytes = ([number(cell.strip()) for cell in line.strip("| ").split("|")[1:]] for line in lines)
  size, accuracy, batches, alone, faster = range(5)
  # Two layers of 128 units and one of ten, and their biases, which stay floats.
  assert floats[size] == pytest.approx(4 * (785 * 128 + 129 * 128 + 129 * 10), rel=0.01)
  assert 0.25 < in_bytes[size] / floats[size] < 0.26
  assert floats[accuracy] > 0.5 and abs(in_bytes[accuracy] - floats[accuracy]) < 0.02
  assert floats[faster] == 1 and all(row[i] > 0 for row in (floats, in_bytes) for i in (batches, alone, faster))
  assert "MatMul+BiasAdd+Relu" in done.stdout or "MatMul+AddV2+Relu" in done.stdout
  assert "stays in float" not in done.stdout
