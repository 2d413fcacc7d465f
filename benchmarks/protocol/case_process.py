"""Runs a case once: in a fresh cluster, with the stock client in a process of its own."""

import faulthandler
import json
import os
import subprocess
import sys
import time

from cluster import Cluster, memory_mb, parse_spec, spec_text, tf_python, tied
from harness import CASES, Bench, machine_cpu_seconds

HERE = os.path.dirname(os.path.abspath(__file__))
FAILED = "FAILED"  # the metric of a record that gives the reason for which a case did not complete


def wait_quiet(limit):
  """Waits, at most limit seconds, until the machine has been nearly idle for 2 s."""
  end = time.monotonic() + limit
  while time.monotonic() < end:
    c, t = machine_cpu_seconds(), time.monotonic()
    time.sleep(2)  # the load during this time is measured
    if (machine_cpu_seconds() - c) / (time.monotonic() - t) < 0.15:
      return


def reason(what, err):
  """Returns one line with the reason, and the last output of the process."""
  lines = err.strip().splitlines()
  return "%s%s\n%s" % (what, ": " + lines[-1] if lines and what.startswith("exit") else "", "\n".join(lines)[-1500:])


def ended(child, cluster, timeout):
  """Waits for the end of the case: returns (standard output, errors, reason of the failure or None)."""
  end = time.monotonic() + timeout
  while True:
    try:
      out, err = child.communicate(timeout=1)
      return out, err, reason("exit %d" % child.returncode, err) if child.returncode else None
    except subprocess.TimeoutExpired:
      why = (
        "servers ended with exit codes %s" % cluster.ended()
        if cluster.ended()
        else "not done after %d s" % timeout
        if time.monotonic() > end
        else None
      )
    if why:
      child.kill()
      out, err = child.communicate()
      return out, err, reason(why, err)


def run_case(name, servers, options, timed=True):
  """Returns the case's records; the last one is FAILED if it did not complete.

  options: data_dir, scale, timeout, log_dir. timed: see Bench.
  """
  info = CASES[name]
  if servers == "direct" and (info["ps"] or info["workers"] != 1 or info["own_cluster"]):
    return []
  started = time.monotonic()
  records, out, err, why = [], "", "", None
  cluster, child = None, None
  try:
    cluster = Cluster(servers, info["ps"], info["workers"], options.log_dir)
    if info["own_cluster"]:
      cluster.spec = {}
    cluster.start(wait=False)
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL=os.environ.get("TF_CPP_MIN_LOG_LEVEL", "2"))
    command = [
      tf_python(),
      os.path.join(HERE, "bench.py"),
      "_case",
      name,
      "--servers",
      servers,
      "--cluster",
      spec_text(cluster.spec),
      "--pids",
      ",".join(map(str, cluster.pids())),
      "--data-dir",
      options.data_dir,
      "--scale",
      str(options.scale),
      "--timeout",
      str(options.timeout),
    ]
    child = subprocess.Popen(
      tied(command) + ([] if timed else ["--untimed"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    out, err, why = ended(child, cluster, options.timeout)
  except (OSError, RuntimeError) as e:
    why = str(e)
  finally:
    if child and child.poll() is None:
      child.kill()
      child.communicate()
    if cluster:
      cluster.stop()
  for line in err.splitlines():
    if ": left out: " in line:
      print(line, file=sys.stderr)
  for line in out.splitlines():
    if line.startswith("{"):
      records.append(json.loads(line))
  if why:
    records.append(dict(case=name, servers=servers, metric=FAILED, error=why))
    print("%s on %s FAILED: %s" % (name, servers, why), file=sys.stderr)
  print("# %-18s %-16s %5.1f s" % (name, servers[:16], time.monotonic() - started), file=sys.stderr, flush=True)
  return records


def inside(a):
  """Runs the case, in its own process."""
  out = os.fdopen(os.dup(1), "w")
  os.dup2(2, 1)  # keeps TensorFlow's output apart from the records
  pids = [int(p) for p in a.pids.split(",") if p]
  faulthandler.dump_traceback_later(max(5, a.timeout - 5))  # prints to stderr where a case hangs
  b = Bench(a.name, a.servers, parse_spec(a.cluster), pids, a.data_dir, a.scale, out, timed=not a.untimed)
  if not CASES[a.name]["own_cluster"]:
    from harness import import_tf

    tf = import_tf()
    for job, tasks in b.spec.items():  # wait until every task accepts a session
      for i in range(len(tasks)):
        with tf.Graph().as_default(), b.session(tf, job, i) as s:
          s.run(tf.no_op())
    if pids:
      b.emit("rss_idle", "MB", sum(memory_mb(p)[0] for p in pids), "less")
  CASES[a.name]["fn"](b)
  if pids:
    b.emit("rss_after", "MB", sum(memory_mb(p)[0] for p in pids), "less")
    b.emit("rss_peak", "MB", sum(memory_mb(p)[1] for p in pids), "less")
  out.flush()
  os._exit(0)  # client threads (queue runners) may still be blocked in a step
