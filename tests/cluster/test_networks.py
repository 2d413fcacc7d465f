"""examples/networks: small forms, on servers in processes, next to the same networks in stock TensorFlow."""

import os
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "conformance"))
import task_servers  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples", "networks")
BUILD = os.environ.get("MILLRACE_BUILD", "build/dev")
PROGRAM = os.path.join(BUILD, "examples", "networks")
DATA = os.environ.get("FASHION_MNIST_DIR", "/usr/share/datasets/fashion-mnist")
LICENSES = "/usr/share/common-licenses"
PATIENCE_S = 600
# What has to be there, and what a small training reaches.
NETWORKS = {
  "fashion_cnn": (DATA, lambda value: value > 0.6),
  "license_lstm": (LICENSES, lambda value: value < 3.3),
  "split_embedding": (LICENSES, lambda value: value > 0.2),
}

pytestmark = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="examples/networks is not built")


def need(path):
  if not os.path.exists(path):
    pytest.skip(f"{path} is not there")


def printed(*command):
  done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
  assert done.returncode == 0, done.stderr
  return done.stdout


def train(name, *flags):
  return printed(PROGRAM, name, "--small", "--server", task_servers.COMMAND, *flags)


def reached(text):
  return float(re.search(r"^test \w+: ([\d.]+)$", text, re.M)[1])


@pytest.mark.parametrize("name", NETWORKS)
def test_servers_and_clients_in_processes(name):
  data, is_good = NETWORKS[name]
  need(data)
  text = train(name)
  assert is_good(reached(text)), text


def test_a_cluster_that_runs():
  need(LICENSES)
  _, is_good = NETWORKS["split_embedding"]
  with task_servers.Cluster({"ps": 2, "worker": 2}) as cluster:
    for _ in range(2):  # what the first one left is not what the second one begins with
      text = train("split_embedding", *(cluster.target("worker", i) for i in range(2)))
      assert is_good(reached(text)), text
      assert float(re.match(r"step \d+: loss ([\d.]+)", text)[1]) > 2, text


def test_the_same_as_stock():
  """The rows of compare.py: all but the column of two workers tell the same, up to rounding."""
  pytest.importorskip("tensorflow")
  for data, _ in NETWORKS.values():
    need(data)
  text = printed(sys.executable, os.path.join(FOLDER, "compare.py"), "--small", "--steps", "20", "--build", BUILD)
  rows = re.findall(r"^(?:step \d+: loss|test \w+) +(.*)$", text, re.M)
  assert len(rows) == 3 * 12, text
  for row in rows:
    stock, stock_on_ours, one_worker, two_workers = (float(number) for number in row.split())
    assert [stock_on_ours, one_worker] == pytest.approx([stock, stock], rel=2e-3, abs=2e-3), text
    assert two_workers > 0, text


def test_bytes_do_not_grow_with_the_table():
  need(LICENSES)
  moved = []
  for rows in (100_000, 1_000_000):
    text = train("split_embedding", "--workers", "1", "--steps", "100", "--rows", str(rows))
    moved.append(int(re.search(r"^between tasks: (\d+) bytes", text, re.M)[1]))
  # Words share more rows of a smaller table, and such rows travel once.
  assert moved[0] == pytest.approx(moved[1], rel=0.1)


def test_servers_that_do_not_start_are_told(tmp_path):
  need(LICENSES)
  done = subprocess.run(
    [PROGRAM, "split_embedding", "--small", "--server", str(tmp_path / "none")],
    capture_output=True,
    text=True,
    timeout=PATIENCE_S,
    check=False,
  )
  assert done.returncode == 1
  assert "the server of ps 0 ended with exit code 127" in done.stderr


@pytest.mark.parametrize(
  "name, message", [("license_lstm", "have 3 characters, expected at least 1201"), ("split_embedding", "give 0 examples")]
)
def test_data_without_examples(tmp_path, name, message):
  (tmp_path / "short").write_text("a b")
  done = subprocess.run(
    [PROGRAM, name, "--small", "--workers", "1", "--server", task_servers.COMMAND, "--data", str(tmp_path)],
    capture_output=True,
    text=True,
    timeout=PATIENCE_S,
    check=False,
  )
  assert done.returncode == 1, done
  assert "INVALID_ARGUMENT" in done.stderr and message in done.stderr


def test_what_is_refused():
  for arguments in ([], ["alexnet"], ["fashion_cnn", "--workers", "0"]):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2, arguments
    assert done.stderr.startswith("networks: ")
