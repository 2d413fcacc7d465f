"""Licences of what a wheel has in it: our own, and those of all that was linked, from the Debian packages that it is of."""

import glob
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Header libraries, which no link names.
HEADERS = ("/usr/include/CLI/CLI.hpp",)
# Where nanobind's licence is, seen from its folder.
OF_NANOBIND = ("LICENSE", "../nanobind-*.dist-info/licenses/LICENSE", "../nanobind-*.dist-info/LICENSE")
# Of every system: auditwheel leaves these out of wheels.
SYSTEM = re.compile(r"/(ld-linux|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)[-.]|linux-vdso")


def archives(build):
  """The archives of other projects that libmillrace.so was linked with."""
  done = subprocess.run(
    ["ninja", "-C", build, "-t", "commands", "-s", "python/millrace/libmillrace.so"], capture_output=True, text=True, check=True
  )
  return sorted(set(re.findall(r"(?<=\s)/usr/\S+\.a(?=\s)", done.stdout)))


def libraries(program):
  """The shared libraries that a program loads, without those of every system."""
  done = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
  return sorted(path for path in re.findall(r"(?:=> )?(/\S+) \(0x", done.stdout) if not SYSTEM.search(path))


def packages(paths):
  """The Debian packages that files are of. Raises LookupError for a file of none."""
  found = {}
  for path in paths:
    # A merged /usr: packages know their files below /lib or below /usr/lib.
    real = os.path.realpath(path)
    for name in (path, real, real.replace("/usr/lib/", "/lib/", 1)):
      done = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True)
      if done.returncode == 0:
        found[path] = done.stdout.split(":")[0]
        break
    else:
      raise LookupError("no Debian package has %s, which goes into the wheel: where is its licence?" % path)
  return sorted(set(found.values()))


def read(path):
  with open(path, encoding="utf-8", errors="replace") as file:
    return file.read()


def nanobind(build):
  """{name: text} of nanobind and of the map that it has in it, from the folder that the build took them from."""
  with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
    folder = re.search(r"^NB_DIR:INTERNAL=(.*)$", file.read(), re.M).group(1)
  own = [path for form in OF_NANOBIND for path in glob.glob(os.path.join(folder, form))]
  if not own:
    raise LookupError("nanobind's licence is not in " + folder)
  found = {"third_party/nanobind/copyright": read(own[0])}
  for path in glob.glob(os.path.join(folder, "ext", "robin_map", "include", "tsl", "robin_map.h")):
    text = re.match(r"\s*/\*\*?\n(.*?)\*/", read(path), re.S).group(1)
    found["third_party/robin-map/copyright"] = re.sub(r"^ \* ?", "", text, flags=re.M)
  return found


def texts(build, package):
  """{name: text} of all licences."""
  linked = archives(build) + libraries(os.path.join(package, "libmillrace.so")) + [p for p in HEADERS if os.path.exists(p)]
  found = {"LICENSE": read(os.path.join(ROOT, "LICENSE")), **nanobind(build)}
  for name in packages(linked):
    found["third_party/%s/copyright" % name] = read("/usr/share/doc/%s/copyright" % name)
  return found
