"""./dev gpu-check"""

import os
import re
import subprocess

import building
import gpu_folder
import options
from console import ROOT, Line, fail, say

DESCRIPTION = """Checks the GPU of this machine: what is there, every kernel against the CPU, speed beside PyTorch, examples. The report goes
into docs/gpu/. The programs are packed first, as build/gpu_check/millrace-gpu-check.tar.xz, which other machines need alone:
unpacked there, ./gpu-check writes gpu_report.md, which belongs into docs/gpu/, too. Without a card, --stand-in runs all of it
on the libraries of tests/gpu/standin, and packs nothing unless --packed says so."""

TARGETS = ("millrace", "gpu_check", "example_tour", "example_distributed_cpp")
STAND_IN_TARGET = "gpu_standin"
OUT = os.path.join(ROOT, "build", "gpu_check")
REPORTS = os.path.join(ROOT, "docs", "gpu")
NO_GPU = 3
# What the stand-in compiles takes g++ longer than NVRTC.
STAND_IN_SECONDS = 3600


def packed(preset):
  name = gpu_folder.NAME + ("" if preset == "release" else "-" + preset) + ".tar.xz"
  return os.path.join(OUT, name)


def make(preset):
  building.build(preset, TARGETS)
  return gpu_folder.make(building.folder(preset), os.path.join(OUT, preset))


def pack(preset, folder):
  path = packed(preset)
  all_mb = gpu_folder.size(folder) / 1e6
  with Line("packing") as line:
    size = gpu_folder.pack(folder, path, lambda n: line.progress("%d of %d MB" % (n / 1e6, all_mb))) / 1e6
    line.result = "%.1f MB" % size
  if preset == "release" and size > gpu_folder.LIMIT_MB:
    fail("the packed folder has more than %d MB" % gpu_folder.LIMIT_MB)
  say("%s (%.1f MB)" % (os.path.relpath(path, ROOT), size))
  return path


def environment_of_stand_in(preset):
  building.build(preset, [STAND_IN_TARGET])
  libraries = os.path.join(building.folder(preset), "tests", "gpu_standin")
  return dict(os.environ, MILLRACE_CUDA_LIBRARIES=libraries, MILLRACE_STANDIN_MEMORY_MB="8192")


def name_of(report):
  """The file of a report, after its title: the card's name."""
  with open(report, encoding="utf-8") as file:
    title = file.readline().lstrip("# ").strip()
  return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_") + ".md"


def main(argv):
  ap = options.Parser(prog="./dev gpu-check", description=DESCRIPTION)
  ap.add_argument("--preset", default="release", choices=("release", "dev"), help="dev: for tests, without a release")
  ap.add_argument("--stand-in", action="store_true", help="on the stand-in for CUDA's libraries; times mean nothing")
  ap.add_argument("--pack-only", action="store_true", help="pack, and run nothing")
  ap.add_argument("--packed", action="store_true", help="with --stand-in: pack, too, and run what comes out of that")
  ap.add_argument("--parts", help="of cases,speed,overlap,torch,examples; the report of some stays below build/")
  ap.add_argument("--ops", help="the cases of these ops or families alone")
  ap.add_argument("--python", help="the Python that has PyTorch (python3)")
  args = ap.parse_args(argv)
  os.makedirs(OUT, exist_ok=True)
  folder, path = make(args.preset), packed(args.preset)
  if args.pack_only or args.packed or not args.stand_in:
    pack(args.preset, folder)
    if args.pack_only:
      return 0
    # What runs is what was packed: nothing else of this machine's build.
    folder = gpu_folder.unpack(path, os.path.join(OUT, "run"))
  report = os.path.join(OUT, "gpu_report.md")
  words = [os.path.join(folder, "gpu-check"), "--report", report, "--log", os.path.join(OUT, "gpu_check.log")]
  for flag in ("parts", "ops", "python"):
    if getattr(args, flag):
      words += ["--" + flag, getattr(args, flag)]
  environment = None
  if args.stand_in:
    environment = environment_of_stand_in(args.preset)
    words += ["--stand-in", "--seconds", str(STAND_IN_SECONDS)]
  code = subprocess.call(words, env=environment)
  if code == NO_GPU:
    fail("this machine has no card: ./dev gpu-check --stand-in, or %s on one that has" % os.path.relpath(path, ROOT))
  if os.path.exists(report) and not (args.parts or args.ops):
    os.makedirs(REPORTS, exist_ok=True)
    kept = os.path.join(REPORTS, name_of(report))
    os.replace(report, kept)
    say(os.path.relpath(kept, ROOT))
  return code
