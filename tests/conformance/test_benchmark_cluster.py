"""benchmarks/protocol: a cluster is there when all of its servers listen; two of them take turns."""

import os
import socket
import subprocess
import sys

import forked_python
import pytest
from task_servers import COMMAND

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "protocol")
sys.path.append(FOLDER)
from cluster import Cluster  # noqa: E402

LISTENS = """
import socket, sys
host, port = sys.argv[1].split("=")[1].split(",")[int(sys.argv[2])].split(":")
server = socket.create_server((host, int(port)))
while True:
  server.accept()[0].close()
"""


# Starts a server with the rest of its words, says where it is, and stays.
DRIVER = """
import signal, sys
sys.path.append(sys.argv[1])
from cluster import Cluster
print(Cluster(sys.argv[2], 0, 1).start().spec["worker"][0], flush=True)
signal.pause()
"""

KEEPS_CONNECTIONS = """
import socket, sys
host, port = sys.argv[1].split("=")[1].split(":")
server = socket.create_server((host, int(port)))
kept = []
while True:
  kept.append(server.accept()[0])
"""


def cluster_of(tmp_path, text):
  """Two workers that run the script."""
  script = tmp_path / "server.py"
  script.write_text(text)
  return Cluster(f"{sys.executable} {script} {{cluster}} {{task}}", 0, 2)


def test_waits_until_all_listen(tmp_path):
  with cluster_of(tmp_path, LISTENS) as cluster:
    for address in cluster.spec["worker"]:
      host, port = address.split(":")
      socket.create_connection((host, int(port))).close()
    assert len(cluster.pids()) == 2 and cluster.listening_s > 0


def test_says_that_a_server_has_ended(tmp_path):
  cluster = cluster_of(tmp_path, "raise SystemExit(3)")
  with pytest.raises(RuntimeError, match="a server ended early: .*3"):
    cluster.start()
  assert not cluster.pids()


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not built")
def test_takes_turns():
  servers = f"{COMMAND} server --log_level=error --job {{job}} --task {{task}} --cluster {{cluster}}"
  process = forked_python.start(
    [
      os.path.join(FOLDER, "bench.py"),
      "turns",
      "--a",
      servers,
      "--b",
      servers,
      "--cases",
      "null_step",
      "--rows",
      "noop.callable|new_session",
      "--seconds",
      "0.02",
    ],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
  )
  out, errors = process.communicate(timeout=120)
  assert process.returncode == 0, errors
  rows = [line.split() for line in out.splitlines() if line.startswith("null_step")]
  assert [row[1] for row in rows] == ["noop.callable", "new_session_first_step"] and all(
    row[5].startswith("x") for row in rows
  ), out


def test_servers_end_with_the_driver(tmp_path):
  """However it ends."""
  script = tmp_path / "server.py"
  script.write_text(KEEPS_CONNECTIONS)
  driver = subprocess.Popen(
    [sys.executable, "-c", DRIVER, FOLDER, f"{sys.executable} {script} {{cluster}}"], stdout=subprocess.PIPE, text=True
  )
  try:
    host, port = driver.stdout.readline().strip().split(":")
    connection = socket.create_connection((host, int(port)), timeout=60)
  finally:
    driver.kill()
    driver.wait()
  with connection:
    try:
      assert connection.recv(1) == b""
    except ConnectionResetError:
      pass  # it had not been accepted yet
