"""./dev fuzz"""

import sys

import building
import fuzzing
import odd_ops
import options
import packages
import random_programs
from console import say

PROGRAMS = "programs"
OPS = "ops"


def fuzzers(names, duration):
  packages.need_packages(packages.BASE, packages.TEST)
  building.build(fuzzing.PRESET, ["fuzzers"])
  count = fuzzing.run(duration, names)
  for note in count.notes:
    say("  " + note)
  for line in count.again:
    say("again: " + line)
  say("%d passed, %d failed" % (count.passed, count.failed))
  return 1 if count.failed else 0


def main(argv):
  if argv[:1] == [PROGRAMS]:
    return random_programs.called(argv[1:])
  if argv[:1] == [OPS]:
    return odd_ops.called(argv[1:])
  known = fuzzing.names()
  ap = options.Parser(
    prog="./dev fuzz",
    description="Looks for inputs that do harm, or programs whose values differ from stock "
    "TensorFlow's. Names: %s; without any, all that ends in _fuzz." % ", ".join([PROGRAMS, OPS] + known),
    epilog="./dev fuzz programs --help and ./dev fuzz ops --help say more of these.",
  )
  ap.add_argument("what", nargs="*", metavar="NAME")
  ap.add_argument("--seconds", type=int, default=fuzzing.SECONDS, metavar="N", help="time for each fuzzer (%d)" % fuzzing.SECONDS)
  args = ap.parse_args(argv)
  names = [n if n.endswith("_fuzz") or n in (PROGRAMS, OPS) else n + "_fuzz" for n in args.what]
  for name, word in zip(names, args.what):
    if name == PROGRAMS:
      ap.error("programs has options of its own and comes alone: ./dev fuzz programs --count 100")
    if name == OPS:
      ap.error("ops has options of its own and comes alone: ./dev fuzz ops --minutes 10")
    if name not in known:
      ap.error("there is no fuzzer '%s'%s" % (word, options.near(word, known + [PROGRAMS, OPS] + [n[:-5] for n in known])))
  return fuzzers(names or known, args.seconds)


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
