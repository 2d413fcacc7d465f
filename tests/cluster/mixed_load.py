"""A cluster under mixed load: sessions, graphs that grow, steps that time out, clients that are killed, 100 MB at a time.

    python tests/cluster/mixed_load.py --minutes 15 --plot docs/memory-mixed-load.svg

says what the servers hold over time and whether it stays. The load is light: the servers shall have time to rest, not to work.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "conformance"), str(pathlib.Path(__file__).parent)]
import forked_python  # noqa: E402
import server_samples  # noqa: E402
import task_servers  # noqa: E402
from step_clients import device  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent.parent / "programs" / "load_client.py"
JOBS = {"ps": 2, "worker": 2}
# Sessions of dead clients stay until their master is reset, which ends those of all clients.
MASTER, MASTER_OF_DOOMED = ("worker", 0), ("worker", 1)
ROLES = ["sessions", "extensions", "timeouts", "transfers"]
KILL_EVERY_S = 3.0
KILLS_A_RESET = 5
START_S = 120  # of a client, on a busy machine
WINDOW_S = 30.0
APART = 0.02


class Client:
  """A program of tests/programs/load_client.py."""

  def __init__(self, cluster, role, master):
    self.role = role
    self.lines = self.rounds = 0
    self._process = forked_python.start(
      [PROGRAM, role, cluster.target(*master), device(("ps", 0)), device(("worker", 1))], stdout=subprocess.PIPE
    )
    self._reader = threading.Thread(target=self._read, daemon=True)
    self._reader.start()

  def _read(self):
    for line in self._process.stdout:
      self.lines += 1
      self.rounds = int(line) if line.strip().isdigit() else 0

  def await_ready(self):
    task_servers.wait_for(lambda: self.lines > 0 or self.ended, f"the client '{self.role}' does not start", START_S)

  @property
  def ended(self):
    return self._process.poll() is not None

  def wait(self):
    code = self._process.wait(START_S)
    assert code == 0, f"the client '{self.role}' ended with {code}"

  def kill(self):
    self._process.kill()
    self._process.wait()


class MixedLoad:
  """On a cluster of JOBS, as long as it is not stopped. A client that ends by itself is a failure."""

  def __init__(self, cluster):
    self.cluster = cluster
    self.kills = self.resets = 0
    # Masters get to know all tasks.
    for master in (MASTER, MASTER_OF_DOOMED):
      Client(cluster, "reset", master).wait()
    self._clients = [Client(cluster, role, MASTER) for role in ROLES]
    self._doomed = Client(cluster, "doomed", MASTER_OF_DOOMED)
    for client in [*self._clients, self._doomed]:
      client.await_ready()

  def run(self, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
      # The load goes on between two kills.
      time.sleep(min(KILL_EVERY_S, max(0.0, end - time.monotonic())))
      for client in self._clients:
        assert not client.ended, f"the client '{client.role}' has ended"
      self._kill_one()
    for client in self._clients:
      assert client.rounds > 0, f"the client '{client.role}' does not go on"

  def rounds(self):
    return {client.role: client.rounds for client in self._clients}

  def _kill_one(self):
    self._doomed.await_ready()
    self._doomed.kill()
    self.kills += 1
    if self.kills % KILLS_A_RESET == 0:
      Client(self.cluster, "reset", MASTER_OF_DOOMED).wait()
      self.resets += 1
    self._doomed = Client(self.cluster, "doomed", MASTER_OF_DOOMED)

  def stop(self):
    for client in [*self._clients, self._doomed]:
      client.kill()
    Client(self.cluster, "reset", MASTER).wait()
    Client(self.cluster, "reset", MASTER_OF_DOOMED).wait()


class Held:
  """What the servers of a load held in each window after it has settled."""

  def __init__(self, sampler, settle_s, window_s):
    self._sampler, self._settle_s, self._window_s = sampler, settle_s, window_s

  def of(self, task, key, of_window=max):
    values = [s[key] for s in self._sampler.samples[task]]
    return server_samples.windows(self._sampler.times, values, self._window_s, self._settle_s, of_window)

  def apart(self, task):
    """How far the most of resident memory in a window lie apart, as a part of their median."""
    most = self.of(task, "resident")
    return (max(most) - min(most)) / statistics.median(most)

  def has_moved(self, task, key):
    """Whether the least of a window is another one in the second half of the load than in the first. It is the median that counts:
    a machine that is busy has windows without rest, and a connection may just be made anew."""
    least = self.of(task, key, min)
    half = len(least) // 2
    if not half:
      return False
    return statistics.median_low(least[:half]) != statistics.median_low(least[half:])

  def errors(self, apart):
    """What has changed that should not, in words. Calls in progress open descriptors, so it is those at rest that count."""
    found = []
    for task in self._sampler.samples:
      name = f"{task[0]}:{task[1]}"
      if self.apart(task) > apart:
        found.append(
          f"the resident memory of {name} lies {100 * self.apart(task):.1f} % apart, more than {100 * apart:g} %: "
          f"{[r // 1024 for r in self.of(task, 'resident')]} KiB"
        )
      for key in ("descriptors", "threads"):
        if self.has_moved(task, key):
          found.append(f"the {key} of {name} were {self.of(task, key, min)}")
    return found

  def table(self):
    lines = ["| task | resident memory, MiB: at first, at the end, apart | descriptors at rest | threads |", "|---|---|---|---|"]
    for task in self._sampler.samples:

      def spread(key, task=task):
        values = self.of(task, key, min)
        return f"{min(values)}" if len(set(values)) == 1 else f"{min(values)} to {max(values)}"

      resident = [r / server_samples.MIB for r in self.of(task, "resident")]
      lines.append(
        f"| {task[0]}:{task[1]} | {resident[0]:.1f}, {resident[-1]:.1f}, {100 * self.apart(task):.1f} % "
        f"| {spread('descriptors')} | {spread('all_threads')} |"
      )
    return "\n".join(lines)


def picture(sampler, title):
  def curves(key, unit=1):
    minutes = [t / 60 for t in sampler.times]
    return {f"{job}:{i}": (minutes, [s[key] / unit for s in samples]) for (job, i), samples in sampler.samples.items()}

  return server_samples.svg(
    title,
    "minutes",
    [
      ("resident memory, MiB", curves("resident", server_samples.MIB)),
      ("descriptors", curves("descriptors")),
      ("threads", curves("all_threads")),
      ("sessions as worker", curves("worker_sessions")),
      ("kernels", curves("kernels")),
    ],
  )


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
  parser.add_argument("--minutes", type=float, default=15)
  parser.add_argument("--settle_minutes", type=float, default=3, help="what comes before is not compared")
  parser.add_argument("--plot", help="an SVG file to write")
  flags = parser.parse_args()
  with task_servers.Cluster(JOBS) as cluster:
    load = MixedLoad(cluster)
    sampler = server_samples.Sampler(cluster)
    load.run(60 * flags.minutes)
    sampler.stop()
    load.stop()
  held = Held(sampler, 60 * flags.settle_minutes, WINDOW_S)
  print(held.table())
  print(f"{load.kills} clients killed, {load.resets} resets, rounds: {load.rounds()}")
  if flags.plot:
    pathlib.Path(flags.plot).write_text(picture(sampler, f"{flags.minutes:g} minutes of mixed load"))
  return "\n".join(held.errors(APART)) or 0


if __name__ == "__main__":
  sys.exit(main())
