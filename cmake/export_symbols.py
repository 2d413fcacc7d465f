"""What a shared object of all rooms shows to the outside: the symbols that the objects beside it use, and no others.

export_symbols.py --nm NM --out STEM [--also NAME]... OBJECT...

Writes STEM.map, a version script for the linker, and STEM.rsp, options that make it take these symbols out of archives. Files
that would not change stay as they are, so that nothing is linked anew.
"""

import argparse
import os
import re
import subprocess

# Symbols of C++, but for those of the standard library, of the language itself and of nanobind.
OURS = re.compile(r"_Z(?!T[ISVT](?:St|N10__cxxabiv1|N8nanobind)|St|NK?St|NK?8nanobind|n[wa]|d[la])")


def used(nm_output):
  """Returns the symbols that object files use and none of them defines, from `nm --format=posix`, in order."""
  wanted, defined = set(), set()
  for line in nm_output.splitlines():
    words = line.split()
    if len(words) >= 2 and OURS.match(words[0]):
      (wanted if words[1] == "U" else defined).add(words[0])
  return sorted(wanted - defined)


def write(path, text):
  if os.path.exists(path):
    with open(path, encoding="utf-8") as file:
      if file.read() == text:
        return
  with open(path, "w", encoding="utf-8") as file:
    file.write(text)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--nm", default="nm")
  parser.add_argument("--out", required=True)
  parser.add_argument("--also", action="append", default=[], help="a symbol that others look for by its name")
  parser.add_argument("objects", nargs="+")
  args = parser.parse_args()
  done = subprocess.run([args.nm, "--format=posix", *args.objects], capture_output=True, text=True, check=True)
  names = used(done.stdout) + args.also
  write(args.out + ".map", "{\n  global:\n%s  local: *;\n};\n" % "".join("    %s;\n" % name for name in names))
  write(args.out + ".rsp", "".join("-Wl,-u,%s\n" % name for name in names))


if __name__ == "__main__":
  main()
