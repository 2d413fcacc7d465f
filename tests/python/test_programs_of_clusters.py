"""Whole programs of clusters, written as people wrote them from 2016 to 2019: each task is a process of its own, run unchanged by
`python -m millrace`.

`programs_of_clusters/NAME.txt` has what each task prints, below its name. TensorFlow 2.21 printed the same, by its own servers and by
Millrace's. Words and whole numbers have to be the same, other numbers within 2 %.
"""

import os
import subprocess
import sys

import package
import pair_runner
import pytest
from test_whole_programs import assert_alike

sys.path.append(os.path.join(pair_runner.ROOT, "tools"))
from free_ports import free_ports  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs_of_clusters")
# The numbers of tasks of the job ps and of the job worker.
PROGRAMS = {"averages": (2, 2), "evolution": (1, 3), "wrong_records": (1, 2)}
LIMIT_S = 120
_given = set()


def free_addresses(count):
  ports = free_ports(count, lambda port: port not in _given)
  _given.update(ports)
  return [f"127.0.0.1:{port}" for port in ports]


def said_by_tasks(name, folder):
  """What the tasks print, each below its name. A task that fails, or does not end, fails the test."""
  ps, worker = (free_addresses(count) for count in PROGRAMS[name])
  words = [os.path.join(FOLDER, name + ".py"), "--ps_hosts=" + ",".join(ps), "--worker_hosts=" + ",".join(worker)]
  tasks = [("ps", index) for index in range(len(ps))] + [("worker", index) for index in range(len(worker))]
  processes = []
  try:
    for job, index in tasks:
      own = [f"--job_name={job}", f"--task_index={index}", f"--data_dir={folder}"]
      with open(folder / f"{job}{index}.err", "w") as errors:
        processes.append(
          subprocess.Popen(
            [sys.executable, "-m", "millrace", *words, *own],
            env=package.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
          )
        )
    lines = []
    for (job, index), process in zip(tasks, processes):
      out, _ = process.communicate(timeout=LIMIT_S)
      assert process.returncode == 0, (job, index, out, (folder / f"{job}{index}.err").read_text())
      lines += [f"{job} {index}:", *out.splitlines()]
    return lines
  finally:
    for process in processes:
      process.kill()
      process.wait()


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_program(tmp_path, name):
  with open(os.path.join(FOLDER, name + ".txt"), encoding="utf-8") as file:
    wanted = file.read().splitlines()
  assert_alike(said_by_tasks(name, tmp_path), wanted)


def test_every_program_runs():
  assert {name[:-3] for name in os.listdir(FOLDER) if name.endswith(".py")} == set(PROGRAMS)
