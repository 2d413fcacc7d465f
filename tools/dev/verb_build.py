"""./dev build"""

import os

import building
import options
from console import ROOT, say, seconds


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
  command = os.path.join(building.folder(args.preset), "millrace")
  what = os.path.relpath(command, ROOT) if os.path.exists(command) else "build/" + args.preset
  say("built %s (%s)" % (what, seconds(took)))
  if args.times:
    for spent, path in building.slowest(args.preset):
      say("%7.1f s  %s" % (spent, path.replace("CMakeFiles/", "").replace(".dir", "")))
  return 0
