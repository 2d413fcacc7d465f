#!/usr/bin/env python3
"""What a ps costs that nobody uses: time to listen, memory, threads, CPU; with the marks that it must keep.

  idle.py 'CMD {job} {task} {cluster}' [--rounds 5] [--seconds 10] [--only listening_s,threads]

Prints a line a figure and ends with 1 if one is above its mark. Start-up takes the best of --rounds starts (a
busy machine only adds to it), everything else one process: memory and threads 2 s after its start, CPU over the
--seconds that follow, counted by the scheduler and not in ticks. Needs no TensorFlow.
"""

import argparse
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "dev")]

from cluster import Cluster, memory_mb

import options

# Figure: (unit, limit).
MARKS = {
  "listening_s": ("s from exec to the first accepted connection", 0.1),
  "resident_mb": ("MB resident 2 s after the start", 30),
  "threads": ("threads", 16),
  "cpu_percent": ("% of one core while idle", 0.1),
}


def threads_of(pid):
  return [int(t) for t in os.listdir("/proc/%d/task" % pid)]


def cpu_nanos(pid):
  """Returns the time that the scheduler has counted for all threads of a process."""
  total = 0
  for thread in threads_of(pid):
    try:
      with open("/proc/%d/task/%d/schedstat" % (pid, thread)) as f:
        total += int(f.read().split()[0])
    except OSError:
      pass  # it has ended
  return total


def start(servers):
  """Starts a cluster of one ps and waits until it listens; polls more often than Cluster does."""
  return Cluster(servers, ps=1, workers=0).start(poll_s=0.0005)


def measure(servers, rounds, seconds):
  figures = {"listening_s": []}
  for last in [False] * (rounds - 1) + [True]:
    c = start(servers)
    try:
      figures["listening_s"].append(c.listening_s)
      if not last:
        continue
      pid = c.pids()[0]
      time.sleep(max(0.0, 2 - c.listening_s))  # its idle time
      figures["resident_mb"] = memory_mb(pid)[0]
      figures["threads"] = len(threads_of(pid))
      before, t = cpu_nanos(pid), time.monotonic()
      time.sleep(seconds)  # the cost during this time is measured
      figures["cpu_percent"] = (cpu_nanos(pid) - before) / (time.monotonic() - t) / 1e7
    finally:
      c.stop()
  figures["listening_s"] = min(figures["listening_s"])
  return figures


def main():
  ap = options.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("servers")
  ap.add_argument("--rounds", type=int, default=5)
  ap.add_argument("--seconds", type=float, default=10)
  ap.add_argument("--only", help="these figures alone decide the exit code, separated by commas")
  a = ap.parse_args()
  deciding = a.only.split(",") if a.only else list(MARKS)
  for name in deciding:
    if name not in MARKS:
      ap.error("--only: there is no figure %s%s (there are %s)" % (name, options.near(name, MARKS), ", ".join(MARKS)))
  figures = measure(a.servers, a.rounds, a.seconds)
  over = []
  for name, (unit, mark) in MARKS.items():
    is_over = figures[name] > mark
    print("%-12s %8.3f  mark %-5g %s  %s" % (name, figures[name], mark, "OVER" if is_over else "ok  ", unit))
    if is_over and name in deciding:
      over.append(name)
  sys.exit(1 if over else 0)


if __name__ == "__main__":
  main()
