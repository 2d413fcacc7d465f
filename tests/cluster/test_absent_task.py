"""One of three workers is absent: who does not need it starts at once, who does hears by its deadline which it is."""

import os

import pytest

import step_clients
import task_servers
from step_clients import StepClient, full_name

ABSENT, MASTER, PS = ("worker", 2), ("worker", 0), ("ps", 0)
DEADLINE_S = 3.0
# What a call may be late by on a busy machine. Who waits for the absent task does so for minutes.
LATE_S = 5.0

pytestmark = pytest.mark.skipif(
  not (os.path.exists(task_servers.COMMAND) and os.path.exists(step_clients.STEP_CLIENT)),
  reason="the servers or the client program are not built",
)


@pytest.fixture(scope="module")
def clients():
  made = {kind: StepClient(kind) for kind in ("stock", "cpp")}
  yield made
  for client in made.values():
    client.kill()


@pytest.fixture(scope="module")
def cluster():
  with task_servers.Cluster({"ps": 1, "worker": 3}, absent=[ABSENT]) as made:
    yield made


@pytest.mark.parametrize("kind", ["cpp", "stock"])
def test_no_wait_for_a_task_that_is_not_used(cluster, clients, kind):
  client = clients[kind]
  # What a program's first session costs the client itself is not measured.
  client.open(cluster, "first", MASTER, PS, ("worker", 1), MASTER, kind).value()
  again = client.open(cluster, "again", MASTER, PS, ("worker", 1), MASTER, kind)
  again.value()
  assert again.client_ms < 1000 * LATE_S, str(again)


@pytest.mark.parametrize("kind", ["cpp", "stock"])
def test_the_deadline_names_the_absent_task(cluster, clients, kind):
  call = clients[kind].open(cluster, "absent", MASTER, PS, ABSENT, MASTER, kind, timeout_s=DEADLINE_S).wait()
  assert call.code == "DEADLINE_EXCEEDED", str(call)
  assert call.client_ms < 1000 * (DEADLINE_S + LATE_S), str(call)
  assert full_name(ABSENT) in call.text, str(call)
  assert cluster.address(*ABSENT) in call.text, str(call)
  assert "refused" in call.text, str(call)
