#!/usr/bin/env python3
"""How many single queries a second a small network answers to the C++ client; with the marks that it must keep.

  serving.py PROGRAM 'CMD {job} {task} {cluster}' [--repetitions 5]

PROGRAM is build/release/benchmarks/serving_bench; it asks in its own process, and a server over gRPC that this script
starts, with one thread and with eight. Prints a line a figure (medians) and ends with 1 if one is below its mark.
Needs no TensorFlow.
"""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "dev")]

from cluster import Cluster

import options

# Benchmark's name: (figure, limit).
FIGURES = {
  "BM_InProcess/real_time/threads:1": ("in process, 1 thread", None),
  "BM_InProcess/real_time/threads:8": ("in process, 8 threads", 40000),
  "BM_OverGrpc/real_time/threads:1": ("over gRPC, 1 thread", None),
  "BM_OverGrpc/real_time/threads:8": ("over gRPC, 8 threads", 12000),
}


def measure(program, servers, repetitions):
  """Returns queries per second by benchmark; those that failed are left out and reported."""
  cluster = Cluster(servers, ps=0, workers=1)
  try:
    cluster.start()
    done = subprocess.run(
      [program, "--benchmark_format=json", "--benchmark_report_aggregates_only=true", "--benchmark_repetitions=%d" % repetitions],
      env=dict(os.environ, MILLRACE_SERVER="grpc://" + cluster.spec["worker"][0]),
      stdout=subprocess.PIPE,
      check=True,
      text=True,
    )
  finally:
    cluster.stop()
  rates = {}
  for run in json.loads(done.stdout)["benchmarks"]:
    if run.get("error_occurred"):
      print("%s: %s" % (run["run_name"], run["error_message"]), file=sys.stderr)
    elif run["aggregate_name"] == "median":
      rates[run["run_name"]] = run["items_per_second"]
  return rates


def main():
  ap = options.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("program")
  ap.add_argument("servers")
  ap.add_argument("--repetitions", type=int, default=5)
  a = ap.parse_args()
  rates = measure(a.program, a.servers, a.repetitions)
  bad = False
  for name, (figure, mark) in FIGURES.items():
    rate = rates.get(name)
    word = "FAILED" if rate is None else "" if mark is None else "ok" if rate >= mark else "BELOW"
    bad = bad or word in ("FAILED", "BELOW")
    print(
      "%-22s %8s queries/s  %-11s %s" % (figure, "-" if rate is None else "%.0f" % rate, "mark %d" % mark if mark else "", word)
    )
  sys.exit(1 if bad else 0)


if __name__ == "__main__":
  main()
