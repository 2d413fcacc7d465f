"""The description of the machine on which figures were measured."""

import importlib.metadata
import os
import platform
import subprocess
import time

from harness import median

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def first_of(path, name):
  """Returns the value of the first `name : value` of a file of /proc."""
  try:
    with open(path, encoding="utf-8") as f:
      for line in f:
        key, _, value = line.partition(":")
        if key.strip() == name:
          return value.strip()
  except OSError:
    pass
  return "unknown"


def output(command):
  try:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
  except (OSError, subprocess.CalledProcessError):
    return ""


def commit():
  found = output(["git", "rev-parse", "--short=12", "HEAD"])
  # The table itself is written into the tree that it describes.
  changed = output(["git", "status", "--porcelain", "--untracked-files=no", "--", ":!docs/performance.*"])
  return (found or "unknown") + (", with changes" if changed else "")


def system():
  try:
    return platform.freedesktop_os_release()["PRETTY_NAME"]
  except (OSError, KeyError):
    return platform.system()


def version(package):
  try:
    return importlib.metadata.version(package)
  except importlib.metadata.PackageNotFoundError:
    return "unknown"


def facts(command):
  """Returns [(what, value)]. command: the program of the servers that are measured."""
  kib = first_of("/proc/meminfo", "MemTotal").split()[0]
  return [
    ("processor", first_of("/proc/cpuinfo", "model name")),
    ("cores", str(len(os.sched_getaffinity(0)))),
    ("memory", "%.0f GiB" % (int(kib) / 2**20) if kib.isdigit() else kib),
    ("system", "%s, Linux %s" % (system(), ".".join(platform.release().split(".")[:2]))),
    ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
    ("commit", commit()),
    ("Millrace", output([command, "--version"]) or "unknown"),
    ("TensorFlow", version("tensorflow-cpu")),
    ("Python, NumPy", "%s, %s" % (platform.python_version(), version("numpy"))),
  ]


def company(records):
  """Returns how many cores other processes used meanwhile."""
  others = [r["others"] for r in records if "others" in r]
  return "%.2f cores in the median, at most %.2f" % (median(others), max(others)) if others else "unknown"
