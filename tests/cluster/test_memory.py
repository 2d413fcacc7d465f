"""What ends is given back: kinds of runs that a session does not need any more, sessions, and what was cut short.

The long tests write what they saw as pictures where MILLRACE_PLOTS names a folder; those in docs/ come from there.
"""

import os
import pathlib
import subprocess

import pytest

import forked_python
import mixed_load
import server_samples
import step_clients
import task_servers
from step_clients import await_status, device

LOAD_S = 8
KEPT = 1000  # kinds of runs that a master keeps of a session
PROGRAM = pathlib.Path(__file__).parent.parent / "programs" / "run_kinds.py"

pytestmark = pytest.mark.skipif(not os.path.exists(task_servers.COMMAND), reason="the servers are not built")


def write_picture(name, text):
  if folder := os.environ.get("MILLRACE_PLOTS"):
    (pathlib.Path(folder) / name).write_text(text)


@pytest.mark.parametrize("count, flat_after", [(1500, 1100), pytest.param(5000, 1500, marks=pytest.mark.long)])
def test_kinds_of_runs(count, flat_after, record_property):
  """Memory and counts do not grow with them once as many as are kept are there."""
  tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
  with task_servers.Cluster({"ps": 1, "worker": 2}) as cluster:
    client = forked_python.start(
      [PROGRAM, cluster.target("worker", 0), count, *[device(t) for t in tasks]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    done, samples = [], {task: [] for task in tasks}
    for line in client.stdout:
      done.append(int(line))
      for task in tasks:
        # What is dropped goes in the background.
        await_status(cluster, task, lambda s, n=done[-1]: s["registered_graphs"] <= min(n, KEPT))
        samples[task].append(server_samples.sample(cluster, task))
      client.stdin.write("\n")
    assert client.wait(step_clients.PATIENCE_S) == 0
    assert done[-1] == count
    write_picture("memory-kinds-of-runs.svg", picture(done, samples, count))
    full = done.index(flat_after)
    for task, of_task in samples.items():
      late = of_task[full:]
      for name in server_samples.COUNTS:
        values = {s[name] for s in late}
        assert len(values) == 1, f"{task}: {name} is {sorted(values)}"
      assert late[0]["registered_graphs"] == late[0]["plans"] == KEPT
      assert len({s["threads"] for s in late}) == 1, f"{task}"
      # Those at rest: the connection of the `millrace status` before may not be closed yet.
      held = [s["descriptors"] for s in late]
      assert min(held[len(held) // 2 :]) <= min(held[: len(held) // 2]), f"{task}: {held}"
      resident = [s["resident"] for s in late]
      grown = (max(resident) - resident[0]) / resident[0]
      record_property("summary", f"{count} kinds of runs: {task[0]}:{task[1]} grew by {100 * grown:.1f} % after {flat_after}")
      # What is kept of the last 4,096 steps, and holes in malloc's heaps.
      assert grown <= 0.05, f"{task}: {[r // 1024 for r in resident]} KiB"
    assert samples["worker", 0][-1]["prepared_runs"] == KEPT
    # And with the session all of it goes.
    for task in tasks:
      await_status(cluster, task, lambda s: s["worker_sessions"] == s["plans"] == s["kernels"] == s["prepared_runs"] == 0)


def picture(done, samples, count):
  def curves(key, unit=1):
    return {f"{job}:{i}": (done, [s[key] / unit for s in of_task]) for (job, i), of_task in samples.items()}

  return server_samples.svg(
    f"{count} kinds of runs in one session over three tasks",
    "kinds of runs so far",
    [
      ("resident memory, MiB", curves("resident", server_samples.MIB)),
      ("graphs", curves("registered_graphs")),
      ("kernels", curves("kernels")),
    ],
  )


def await_nothing_left(cluster):
  for task in cluster.processes:
    await_status(
      cluster,
      task,
      lambda s: (
        not any(
          s[key]
          for key in (
            "master_sessions",
            "worker_sessions",
            "running_steps",
            "rendezvous_entries",
            "prepared_runs",
            "plans",
            "kernels",
          )
        )
      ),
    )


def test_mixed_load_leaves_nothing():
  with task_servers.Cluster(mixed_load.JOBS) as cluster:

    def load():
      mixed = mixed_load.MixedLoad(cluster)
      mixed.run(LOAD_S)
      mixed.stop()
      await_nothing_left(cluster)

    load()
    before = {task: server_samples.sample(cluster, task) for task in cluster.processes}
    load()
    # Calls end and buffers go back to the system in the background. A heap's holes may be others; what 1,000 sessions left would
    # be more, and so would one buffer of 100 MB.
    most = {"descriptors": 1.0, "threads": 1.0, "resident": 1.2}
    for task in cluster.processes:
      for key, factor in most.items():
        task_servers.wait_for(
          lambda t=task, k=key, f=factor: server_samples.sample(cluster, t)[k] <= f * before[t][k],
          lambda t=task: f"{t} had {before[t]} and has {server_samples.sample(cluster, t)}",
        )


@pytest.mark.parametrize(
  "least, moves",
  [([26, 26, 26, 25, 26, 26, 27, 26], False), ([23] * 7 + [24], False), ([23] * 4 + [24] * 4, True), (list(range(20, 28)), True)],
)
def test_what_counts_as_another_place_of_rest(least, moves):
  task = ("worker", 0)

  class Sampler:
    samples = {task: [{"descriptors": n + busy, "threads": 9, "resident": 1000} for n in least for busy in (5, 0)]}
    times = [5.0 * i for i in range(2 * len(least) + 1)]

  assert bool(mixed_load.Held(Sampler, 0, 10).errors(0.02)) == moves


@pytest.mark.long
def test_mixed_load(record_property):
  """15 minutes of it; servers rest at the same place all the time."""
  with task_servers.Cluster(mixed_load.JOBS) as cluster:
    load = mixed_load.MixedLoad(cluster)
    sampler = server_samples.Sampler(cluster)
    load.run(15 * 60)
    sampler.stop()
    load.stop()
    await_nothing_left(cluster)
  held = mixed_load.Held(sampler, 3 * 60, mixed_load.WINDOW_S)
  record_property(
    "summary",
    "15 minutes of mixed load: resident memory lies apart by "
    + ", ".join(f"{100 * held.apart(task):.1f} %" for task in sampler.samples),
  )
  write_picture("memory-mixed-load.svg", mixed_load.picture(sampler, "15 minutes of mixed load"))
  errors = held.errors(mixed_load.APART)
  assert not errors, "\n".join(errors)
