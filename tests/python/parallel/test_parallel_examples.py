"""examples/parallel/python: each program in its small form, by TensorFlow's client and by `millrace python`, on servers of ours."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pair_runner
import pytest

import forked_python
from task_servers import COMMAND

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples" / "parallel" / "python"
PROGRAMS = sorted(p.stem for p in FOLDER.glob("*.py") if re.search(r'^if __name__ == "__main__":$', p.read_text(), re.M))
LIMIT_S = 240
UNITS = {"": 1, "%": 0.01, "ms": 1e-3, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
# A script as `python SCRIPT ...` runs it, with Millrace's package beside TensorFlow's, as where both are installed.
SCRIPT = """
import os, runpy, sys
sys.path.append(sys.argv.pop(1))
del sys.argv[0]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""

pytestmark = pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")


def start(client, words):
  streams = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
  if client == "stock":
    return forked_python.start(["-c", SCRIPT, pair_runner.package_folder(), *words], **streams)
  return subprocess.Popen([COMMAND, "python", "--python", sys.executable, *words], text=True, **streams)


def run(client, name, out):
  """(what the program printed, its tables)"""
  process = start(client, [str(FOLDER / (name + ".py")), "--small", "--out", str(out)])
  printed, errors = process.communicate(timeout=LIMIT_S)
  assert process.returncode == 0, printed + errors
  return printed, tables_of((out / "TABLE.md").read_text())


def tables_of(text):
  """A list of tables, which are lists of rows: {heading: cell}."""
  tables = []
  for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
    names, _, *rows = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines())
    tables.append([dict(zip(names, row, strict=True)) for row in rows])
  return tables


def number(cell):
  """52,300 and 88.1 % and 1.2 kB and 3.0 ms as numbers; a dash is None."""
  if cell == "-":
    return None
  value, _, unit = cell.partition(" ")
  return float(value.replace(",", "")) * UNITS[unit]


def column(rows, name, key=None):
  """{first cell: number}, or a list in the order of rows where first cells are there twice."""
  if key is None:
    return [number(row[name]) for row in rows]
  return {row[key]: number(row[name]) for row in rows}


def check_data_parallel(rows):
  updates, losses, right = (column(rows, name, "form") for name in ("updates", "loss", "accuracy"))
  alone, *others = losses
  assert len(others) == 4
  for form in others:
    if "asynchronous" in form:
      assert updates[form] == 2 * updates[alone] and losses[form] < 2.4, form
    else:
      # The mean of two gradients is that of both batches.
      assert updates[form] == updates[alone] and losses[form] == pytest.approx(losses[alone], abs=2e-3), form
  assert right[alone] > 0.3
  assert all(rate > 100 for rate in column(rows, "examples/s"))
  assert any(name.startswith("to ") for name in rows[0])


def check_exercise_10(rows):
  losses, moved, right, updates = (column(rows, n, "training") for n in ("loss", "bytes an update", "accuracy", "updates"))
  for training in ("synchronous", "vertical slices"):
    assert losses[training] == pytest.approx(losses["one worker"], abs=2e-3), training
    assert updates[training] == updates["one worker"]
  assert updates["asynchronous"] == 2 * updates["one worker"]
  # What stale gradients with momentum reach so soon differs.
  assert losses["asynchronous"] < 2.4 and all(share > 0.25 for name, share in right.items() if name != "asynchronous"), right
  # Two layers of 32 and 16 units and one of ten: all variables to the worker, and as much back. With a little more: the step, tokens.
  variables = 4 * (784 * 32 + 32 + 32 * 16 + 16 + 16 * 10 + 10)
  for training, of_workers in (("one worker", 1), ("asynchronous", 1), ("synchronous", 2)):
    assert 2 * of_workers * variables <= moved[training] * 1.001 <= 2 * of_workers * variables * 1.02, training
  # Of a batch of 40: pixels to the second worker, the units of both layers and their gradients.
  units = 40 * 784 + 40 * 4 * (2 * 32 + 16)
  assert units <= moved["vertical slices"] * 1.01 <= units * 1.1


def check_spare_replicas(rows):
  step, updates, of_the_first = (column(rows, name, "training") for name in ("median step", "updates", "of the first"))
  fast, none, one = (f"synchronous, {what}" for what in ("without the slow one", "no spare", "1 spare"))
  # 100 ms and 10 ms by waiting, and what it takes on a machine that others use.
  assert step[none] >= 0.1 and step[fast] >= 0.01
  assert step[one] < 0.6 * step[none] and of_the_first[fast] == 1
  assert updates["asynchronous"] > 2 * updates[none] and updates[one] > updates[none]
  for row in rows:
    assert number(row["lowest"]) <= number(row["accuracy"]) <= number(row["highest"]), row


def check_embedding(rows):
  whole, small, large, together = rows
  assert number(whole["loss"]) == pytest.approx(number(small["loss"]), abs=1e-3)  # the same training
  # The whole table, and its gradient; of rows each touched one, twice, with its number, and the layer behind.
  table = number(whole["table"])
  assert table == 4 * 16 * 1000 and 2 * table <= number(whole["bytes a step"]) * 1.001 <= 2.2 * table
  for row in (small, large, together):
    rows_moved = number(row["rows touched"]) * 16 * 4 * 2
    assert rows_moved * 0.98 <= number(row["bytes a step"]) <= rows_moved * 1.3 + 2_000, row
  assert number(large["table"]) == 100 * table and number(large["bytes a step"]) < 2 * number(small["bytes a step"])
  assert number(small["accuracy"]) > 0.5


def check_serving_while_training(rows):
  training, answering, both = rows
  for row in (answering, both):
    assert number(row["queries/s"]) > 20 and 0 < number(row["median"]) <= number(row["of 99 in 100"])
  for row in (training, both):
    assert number(row["examples/s"]) > 100
  assert training["queries/s"] == answering["examples/s"] == "-"
  # The answers get better: at first they are guesses.
  assert number(both["last tenth"]) > 0.2 and number(answering["right"]) > 0.2


def check_staleness(rows):
  asis, *others = rows
  gradients, updates, dropped, mean, greatest = (
    column(rows, name) for name in ("gradients", "updates", "dropped", "mean staleness", "greatest")
  )
  assert [g - d for g, d in zip(gradients, dropped)] == updates
  assert [row["stale gradients"] for row, n in zip(rows, dropped) if n] == ["staler than 3 are dropped"]
  assert all(0 <= m <= most for m, most in zip(mean, greatest))
  # While the slow worker has its gradient, the two others make many updates.
  assert number(asis["greatest"]) > 3 and len(others) >= 4


def check_model_parallel(rows):
  losses = {}
  for row in rows:
    losses.setdefault(row["network"], []).append(number(row["loss"]))
    assert number(row["difference"]) < 1e-4, row
    assert (number(row["kB between workers"]) == 0) == (row["form"] == "on one worker"), row
  assert len(losses) == 3
  for of_network in losses.values():
    assert len(of_network) > 1 and of_network == pytest.approx([of_network[0]] * len(of_network), abs=2e-4)


def check_quantized(rows):
  floats, in_bytes = rows
  assert number(in_bytes["size"]) < 0.26 * number(floats["size"])
  assert number(floats["accuracy"]) > 0.4 and number(in_bytes["accuracy"]) == pytest.approx(number(floats["accuracy"]), abs=0.03)


CHECKS = {name[len("check_") :]: check for name, check in globals().items() if name.startswith("check_")}


@pytest.mark.parametrize("client", ["stock", "ours"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, client, tmp_path):
  printed, tables = run(client, name, tmp_path)
  assert tables and all(len(rows) > 1 for rows in tables), printed
  for row in tables[0]:
    assert all(cell in printed for cell in row.values()), row
  if importlib.util.find_spec("matplotlib"):
    (picture,) = tmp_path.glob("*.svg")
    assert picture.read_text().lstrip().startswith("<?xml")
  else:
    assert "No picture: matplotlib is not installed" in printed
  CHECKS[name](tables[0])


def test_all_programs_have_a_check():
  assert sorted(CHECKS) == PROGRAMS


def test_wrong_options_are_told():
  process = start("ours", [str(FOLDER / "data_parallel.py"), "--nonsense"])
  _, errors = process.communicate(timeout=LIMIT_S)
  assert process.returncode == 2 and "--nonsense" in errors
