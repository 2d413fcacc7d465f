#!/usr/bin/env python3
"""Checks the archives of a build for what the text does not show.

  tools/check_symbols.py build/dev

No object of ours has a static constructor (tables are constant data), and only
millrace/base calls the system's threads, locks, clocks and files.
"""

import argparse
import glob
import os
import re
import subprocess
import sys

CONSTRUCTOR = re.compile(r"^(_GLOBAL__sub_I_.*|_Z41__static_initialization_and_destruction_0.*)$")
# "address flags section<TAB>size name" of objdump -t, "address type symbol+offset" of objdump -r.
SYMBOL = re.compile(r"^([0-9a-f]{16}) .{7} (\S+)\t([0-9a-f]{16})\s+(?:\.hidden )?(\S+)$")
RELOCATION = re.compile(r"^([0-9a-f]{16}) R_X86_64_\S+\s+(\S+)$")
# absl's headers include <iostream>, whose stream initializer is not ours.
HARMLESS = re.compile(r"^(_ZNSt8ios_base4Init[CD][12]Ev|__cxa_atexit|__dso_handle|_ZStL8__ioinit|\.[\w.]+|_Z41__static_init.*)$")
# Locks and notifications are inline code of base; check_layers.py checks for std::mutex.
WAITS = re.compile(
  r"^(pthread_(cond|once|create|join)\w*|nanosleep|clock_nanosleep|usleep|sleep|clock_gettime"
  r"|gettimeofday|fopen(64)?|_ZNSt6thread.*|_ZNSt6chrono.*3nowEv|_ZNSt18condition_variable4wait.*"
  r"|_ZNSt13random_device.*|getenv|secure_getenv)(@.*)?$"
)
# Archives that may wait: base itself, gRPC's side, generated messages.
MAY_WAIT = {"libmillrace_base.a", "libmillrace_rpc_grpc.a", "libmillrace_proto.a", "libmillrace_test_support.a"}
MAY_CONSTRUCT = {"libmillrace_proto.a"}
# Objects that call the system for a reason that millrace/base cannot serve; of
# message_type it is inline code of protobuf.
EXCUSED = re.compile(r"^((bulk|s3|gcs|http)\w*|message_type\.cpu)\.cc\.o$")


def symbols(archive):
  """Returns (object, kind, symbol) of an archive."""
  text = subprocess.run(["nm", "-A", "-P", archive], capture_output=True, text=True, check=True).stdout
  for line in text.splitlines():
    place, _, rest = line.partition(": ")
    m = re.search(r"\[(.+)\]$", place)
    words = rest.split()
    if m and len(words) >= 2:
      yield m.group(1), words[1], words[0]


def constructors(archive):
  """Returns (object, symbol) of the symbols to which the static constructors of an archive refer."""
  text = subprocess.run(
    ["objdump", "-t", "-r", "-j", ".text", "-j", ".text.startup", archive], capture_output=True, text=True, check=True
  ).stdout
  member, section, ranges = "", "", []
  for line in text.splitlines():
    if line.endswith("file format elf64-x86-64"):
      member, ranges = line.split(":")[0], []
    elif line.startswith("RELOCATION RECORDS FOR ["):
      section = line.split("[")[1].rstrip("]:")
    elif m := SYMBOL.match(line):
      if CONSTRUCTOR.match(m.group(4)):
        begin = int(m.group(1), 16)
        ranges.append((m.group(2), begin, begin + int(m.group(3), 16)))
    elif ranges and (m := RELOCATION.match(line)):
      place = int(m.group(1), 16)
      symbol = re.sub(r"[-+]0x[0-9a-f]+$", "", m.group(2)).split("@")[0]
      if any(s == section and b <= place < e for s, b, e in ranges) and not HARMLESS.match(symbol):
        yield member, symbol


def check(build):
  problems = []
  for archive in sorted(glob.glob(os.path.join(build, "libmillrace_*.a"))):
    name = os.path.basename(archive)
    if name not in MAY_CONSTRUCT:
      found = {}
      for member, symbol in constructors(archive):
        found.setdefault(member, set()).add(symbol)
      problems += [
        "%s(%s): has a static constructor, which refers to %s; make it constinit" % (name, m, " ".join(sorted(found[m])))
        for m in sorted(found)
      ]
    for member, kind, symbol in symbols(archive):
      if kind == "U" and WAITS.match(symbol) and name not in MAY_WAIT and not EXCUSED.match(member):
        problems.append("%s(%s): calls %s; go through millrace/base" % (name, member, symbol.split("@")[0]))
  return problems


def main():
  ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  ap.add_argument("build", help="a build folder without sanitizers")
  problems = check(ap.parse_args().build)
  print("\n".join(problems) if problems else "symbols: nothing to complain about")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
