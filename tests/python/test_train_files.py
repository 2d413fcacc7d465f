"""Checkpoints, meta graphs, saved models and events: what one side writes, the other one reads."""

import os
import subprocess
import sys

import package
import pytest

FOLDER = os.path.dirname(os.path.abspath(__file__))
PARTS = ["checkpoints", "meta_graph", "saved_model", "events", "objects"]


def run(side, what, folder, parts):
  environment = package.environment() if side == "millrace" else dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
  command = [sys.executable, os.path.join(FOLDER, "train_files.py"), side, what, str(folder), *parts]
  ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
  assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("writer, reader", [("millrace", "stock"), ("stock", "millrace"), ("millrace", "millrace")])
def test_files(tmp_path, writer, reader):
  run(writer, "write", tmp_path, PARTS)
  run(reader, "read", tmp_path, PARTS)
