"""bench.py turns: two kinds of servers at the same time, row by row, in windows of a tenth of a second.

Servers that are measured one after the other run under different load on a busy machine, and with
different memory: on some virtual machines one process reads its own half as fast as another one. Windows in
random order share the load; each window is compared with the one next to it. Memory still differs, so
repeat rows that depend on its speed.

The case runs twice in this process, in a thread for each kind; both stop at each row (Bench.rate, millis and
latency) and call it when it is their turn, until it has been measured. Other figures of a case are not measured.
"""

import json
import queue
import random
import re
import threading
import time

from cluster import Cluster, cpu_seconds
from harness import CASES, Bench, import_tf, median, percentile

WINDOW = 0.08  # seconds of calls, at least one call


class Row:
  def __init__(self, metric, unit, better, value):
    self.metric, self.unit, self.better, self.value = metric, unit, better, value


class Side(Bench):
  """One kind of servers and the thread that runs the case on it."""

  def __init__(self, name, servers, data_dir, scale, timeout):
    info = CASES[name]
    self.cluster = Cluster(servers, info["ps"], info["workers"]).start()
    super().__init__(name, servers, self.cluster.spec, self.cluster.pids(), data_dir, scale)
    self.timeout, self.last = timeout, "its start"
    self.rows = queue.Queue()  # the rows at which the case stops
    self.turns, self.taken = queue.Queue(), queue.Queue()  # numbers of calls, and the times that they took
    self.error = None
    self.thread = threading.Thread(target=self._run, daemon=True)

  def _run(self):
    try:
      CASES[self.name]["fn"](self)
    except Exception as e:  # reported by _check
      self.error = e
    self.rows.put(None)

  def _stop_at(self, fn, *row):
    self.rows.put(Row(*row))
    while calls := self.turns.get():
      cpu = sum(cpu_seconds(p) for p in self.pids)
      fn()  # fills the caches with this side's data
      start = time.perf_counter()
      for _ in range(calls):
        fn()
      took = (time.perf_counter() - start) / calls
      self.taken.put((took, (sum(cpu_seconds(p) for p in self.pids) - cpu) / (calls + 1)))

  def rate(self, metric, unit, amount, fn, **unused):
    self._stop_at(fn, metric, unit, "more", lambda s: amount / s)

  def millis(self, metric, fn, **unused):
    self._stop_at(fn, metric, "ms", "less", lambda s: s * 1e3)

  def latency(self, metric, fn, **unused):
    self._stop_at(fn, metric, "us", "less", lambda s: s * 1e6)

  def emit(self, *unused, **extra):
    pass

  def next_row(self):
    """Returns the row at which the case has stopped; None at its end."""
    try:
      row = self.rows.get(timeout=self.timeout)
    except queue.Empty:
      raise RuntimeError(
        "%s on %s has not come to a row within %d s after %s" % (self.name, self.servers, self.timeout, self.last)
      ) from None
    self._check()
    self.last = row.metric if row else "its last row"
    return row

  def window(self, calls):
    """Returns seconds, and CPU seconds of the servers, per call."""
    self.turns.put(calls)
    end = time.monotonic() + self.timeout
    while time.monotonic() < end:
      try:
        return self.taken.get(timeout=1)
      except queue.Empty:
        self._check()
    raise RuntimeError(
      "%s on %s: %d calls of %s are not done after %d s" % (self.name, self.servers, calls + 1, self.last, self.timeout)
    )

  def _check(self):
    if self.error:
      raise RuntimeError("%s on %s, at %s: %s" % (self.name, self.servers, self.last, self.error))


def measure(sides, seconds):
  """Returns [(seconds, CPU seconds) per call] of each side, window by window."""
  once = [side.window(2)[0] for side in sides]
  calls = max(1, int(WINDOW / max(min(once), 1e-7)))
  taken = [[], []]
  end = time.monotonic() + seconds
  while time.monotonic() < end or len(taken[0]) < 3:
    for i in random.sample((0, 1), 2):
      taken[i].append(sides[i].window(calls))
  return taken


def record(side, row, taken):
  return side.record(
    row.metric, row.unit, [row.value(s) for s, _ in taken], row.better, server_cpu_us=sum(c for _, c in taken) * 1e6 / len(taken)
  )


def pairs_of(name, kinds, args):
  """Yields the two records and the ratios of each row, as they are measured."""
  sides = []
  try:
    for kind in kinds:
      sides.append(Side(name, kind, args.data_dir, args.scale, args.timeout))
    for side in sides:
      side.thread.start()
    while True:
      rows = [side.next_row() for side in sides]
      at = [row.metric if row else "its end" for row in rows]
      if at[0] != at[1]:
        raise RuntimeError(
          "%s: %s is at %s, %s at %s: one of them could not run a row" % (name, kinds[0], at[0], kinds[1], at[1])
        )
      if None in rows:
        return
      if re.search(args.rows, at[0]):
        taken = measure(sides, args.seconds * args.scale)
        yield ([record(s, r, t) for s, r, t in zip(sides, rows, taken)], [a / b for (a, _), (b, _) in zip(*taken)])
      for side in sides:
        side.turns.put(0)
  finally:
    for side in sides:
      side.cluster.stop()


def main(names, args):
  import_tf()
  kinds = [args.a, args.b]
  print("A = %s\nB = %s" % tuple(kinds))
  print(
    "%-16s %-34s %10s %10s %-8s %-11s %-14s %s"
    % ("case", "metric", "A median", "B median", "unit", "B better by", "[10%..90%]", "server cpu us/call A, B")
  )
  for name in names:
    count = 0
    for pair, ratios in pairs_of(name, kinds, args):
      a, b = pair
      print(
        "%-16s %-34s %10.4g %10.4g %-8s x%-10.2f %-14s %.4g, %.4g"
        % (
          name,
          a["metric"],
          a["median"],
          b["median"],
          a["unit"],
          median(ratios),
          "[%.2f..%.2f]" % (percentile(ratios, 10), percentile(ratios, 90)),
          a["server_cpu_us"],
          b["server_cpu_us"],
        ),
        flush=True,
      )
      count += 1
      if args.out:
        with open(args.out, "a") as f:
          f.writelines(json.dumps(r) + "\n" for r in pair)
    if not count:
      print("%-16s has no row for turns that --rows %r names" % (name, args.rows))
