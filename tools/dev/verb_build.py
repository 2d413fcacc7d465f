"""./dev build"""

import os

import building
import options
from console import ROOT, say, seconds


def place(preset, target):
  """Returns where a target lies that was built, or its name and the folder of the build."""
  folder = building.folder(preset)
  name = "millrace" if target in ("programs", "all") else target
  for below in (name, os.path.join("tests", name), os.path.join("examples", name.replace("example_", "", 1))):
    path = os.path.join(folder, below)
    if os.path.exists(path):
      return os.path.relpath(path, ROOT)
  folder = os.path.relpath(folder, ROOT)
  return folder if target == "all" else "%s of %s" % (target, folder)


def main(argv):
  ap = options.Parser(
    prog="./dev build",
    description="Builds a preset into build/PRESET. release has the "
    "command at build/release/millrace and the examples; the others have the tests too.",
  )
  ap.add_argument("preset", nargs="?", default="release", choices=building.PRESETS)
  ap.add_argument("--target", action="append", default=[], help="only this target of the build (may be repeated)")
  ap.add_argument("--all", action="store_true", help="release: with the tests")
  ap.add_argument("--times", action="store_true", help="list the ten files that took longest to compile")
  args = ap.parse_args(argv)
  targets = args.target or (["programs"] if args.preset == "release" and not args.all else ["all"])
  took = building.build(args.preset, targets)
  say("built %s (%s)" % (", ".join(place(args.preset, target) for target in targets), seconds(took)))
  if args.times:
    for spent, path in building.slowest(args.preset):
      say("%7.1f s  %s" % (spent, path.replace("CMakeFiles/", "").replace(".dir", "")))
  return 0
