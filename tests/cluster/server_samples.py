"""What servers hold, from time to time: memory, descriptors, threads, and the counts of `millrace status`; with a picture."""

import html
import json
import os
import statistics
import threading
import time

from step_clients import thread_names

MIB = 1 << 20
COUNTS = [
  "master_sessions",
  "worker_sessions",
  "prepared_runs",
  "registered_graphs",
  "plans",
  "kernels",
  "running_steps",
  "rendezvous_entries",
  "queues",
  "variables",
]


def resident_bytes(pid):
  with open(f"/proc/{pid}/statm") as f:
    return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid):
  return len(os.listdir(f"/proc/{pid}/fd"))


def sample(cluster, task):
  """What one server holds now. `threads` are those that are not of a pool, by name."""
  process = cluster.processes[task]
  counts = json.loads(cluster.status(*task, options=["--json"]))
  return dict(
    {name: counts[name] for name in COUNTS},
    resident=resident_bytes(process.pid),
    descriptors=descriptors(process.pid),
    threads=len(thread_names(process)),
    all_threads=counts["threads"],
  )


class Sampler:
  """Takes samples of all servers, by a thread, until it is stopped."""

  def __init__(self, cluster, every_s=1.0):
    self._cluster, self._every_s = cluster, every_s
    self.began = time.monotonic()
    self.times = []
    self.samples = {task: [] for task in cluster.processes}
    self._stopping = threading.Event()
    self._failure = None
    self._thread = threading.Thread(target=self._run, daemon=True)
    self._thread.start()

  def _run(self):
    try:
      while not self._stopping.wait(self._every_s):
        taken = {task: sample(self._cluster, task) for task in self.samples}
        self.times.append(time.monotonic() - self.began)
        for task, one in taken.items():
          self.samples[task].append(one)
    except Exception as e:  # pylint: disable=broad-except
      self._failure = e

  def stop(self):
    self._stopping.set()
    self._thread.join()
    if self._failure is not None:
      raise self._failure
    return self


def windows(times, values, seconds, start=0.0, of=statistics.median):
  """One value for each whole window of so many seconds from `start`."""
  found = {}
  for when, value in zip(times, values):
    if when >= start:
      found.setdefault(int((when - start) / seconds), []).append(value)
  whole = int((times[-1] - start) / seconds)
  return [of(found[i]) for i in sorted(found) if i < whole]


COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, GAP = 860, 170, 70, 150, 40, 40, 46


def _ticks(top, most=5):
  step = 1
  for step in (f * 10**e for e in range(12) for f in (1, 2, 5)):
    if top / step <= most:
      break
  return [i * step for i in range(int(top / step) + 1)]


def svg(title, x_label, panels):
  """Curves as a picture: `panels` is a list of (title, {name: ([x], [y])})."""
  height = TOP + len(panels) * (HEIGHT + GAP) + BOTTOM - GAP
  out = [
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
    'font-family="sans-serif" font-size="12">',
    f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    f'<text x="{LEFT}" y="18" font-size="15">{html.escape(title)}</text>',
  ]
  right = max(max(xs) for _, curves in panels for xs, _ in curves.values())
  plot_width = WIDTH - LEFT - RIGHT
  for number, (name, curves) in enumerate(panels):
    top = TOP + number * (HEIGHT + GAP)
    highest = max(max(ys) for _, ys in curves.values()) * 1.08 or 1

    def x_of(x):
      return LEFT + plot_width * x / right

    def y_of(y, top=top, highest=highest):
      return top + HEIGHT * (1 - y / highest)

    out.append(f'<text x="{LEFT}" y="{top - 5}">{html.escape(name)}</text>')
    for tick in _ticks(highest):
      out.append(
        f'<path d="M{LEFT} {y_of(tick):.1f}h{plot_width}" stroke="#ddd"/>'
        f'<text x="{LEFT - 6}" y="{y_of(tick) + 4:.1f}" text-anchor="end">{tick:,}</text>'
      )
    for tick in _ticks(right, 10):
      out.append(
        f'<path d="M{x_of(tick):.1f} {top + HEIGHT}v4" stroke="black"/>'
        f'<text x="{x_of(tick):.1f}" y="{top + HEIGHT + 17}" text-anchor="middle">{tick:,}</text>'
      )
    out.append(f'<path d="M{LEFT} {top}v{HEIGHT}h{plot_width}" fill="none" stroke="black"/>')
    for i, (label, (xs, ys)) in enumerate(curves.items()):
      colour = COLOURS[i % len(COLOURS)]
      points = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in zip(xs, ys))
      out.append(
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.3"/>'
        f'<text x="{WIDTH - RIGHT + 10}" y="{top + 14 + 16 * i}" fill="{colour}">{html.escape(label)}</text>'
      )
  out.append(f'<text x="{LEFT + plot_width / 2}" y="{height - 6}" text-anchor="middle">{html.escape(x_label)}</text></svg>')
  return "\n".join(out) + "\n"
