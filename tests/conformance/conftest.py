"""Two clusters of 2 ps and 2 workers, of ours and of stock, that every file of this folder may share."""

import os

import pytest

import task_servers


@pytest.fixture(scope="session")
def our_cluster():
  if not os.path.exists(task_servers.COMMAND):
    pytest.skip(f"{task_servers.COMMAND} is not built")
  with task_servers.Cluster({"ps": 2, "worker": 2}) as made:
    yield made


@pytest.fixture(scope="session")
def stock_cluster():
  with task_servers.Cluster({"ps": 2, "worker": 2}, kind="stock", together=True) as made:
    yield made
