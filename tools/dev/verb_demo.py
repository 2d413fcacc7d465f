"""./dev demo"""

import difflib
import os
import re
import sys

import building

HELP = """usage: ./dev demo [options]

Builds the release and trains a classifier of Fashion-MNIST on a cluster of
processes of this machine: servers for the parameters (ps), servers for the
work, and a client for each worker.

  --ps N              parameter servers (2)
  --workers N         workers (2)
  --epochs N          passes over the 60,000 images, of all workers together (10)
  --batch N           examples in a step of one worker (50)
  --seed N            of initial values and shuffling (1)
  --optimizer NAME    sgd, momentum or adam (momentum)
  --learning_rate X   at first; 0: one that suits the optimizer (0)
  --dir FOLDER        for checkpoints, events and logs (/tmp/millrace-demo-UID, of
                      this user alone); a new training deletes those of an older one
  --resume            go on from the newest checkpoint
  --checkpoint_seconds X
                      between checkpoints, of which the newest 5 are kept (5)
  --values FOLDER     write the variables there at the end, as files of NumPy
  --data FOLDER       of the four files of the data set
  --server FILE       the command `millrace`

Exit codes: 0 trained; 1 not trained to the end; 2 wrong usage; 3 trained, but
workers were lost; 130 interrupted."""

FLAGS = ("--resume",)


def check(argv):
  """Reports errors before anything is built; the program checks values."""
  known = re.findall(r"^  (--\w+)", HELP, re.M) + ["--help"]
  at = 0
  while at < len(argv):
    name, equals, _ = argv[at].partition("=")
    if name not in known:
      near = difflib.get_close_matches(name, known, 1, 0.5)
      hint = "did you mean %s?" % near[0] if near else "there are %s" % ", ".join(known)
      print("./dev demo: there is no option %s; %s" % (argv[at], hint), file=sys.stderr)
      raise SystemExit(2)
    takes_next = not equals and name not in FLAGS
    if takes_next and at + 1 == len(argv):
      print("./dev demo: %s needs a value" % name, file=sys.stderr)
      raise SystemExit(2)
    at += 2 if takes_next else 1


def main(argv):
  argv = [a for a in argv if a != "--"]
  if "-h" in argv or "--help" in argv:
    print(HELP)
    return 0
  check(argv)
  building.build("release", ["millrace", "example_demo"])
  program = os.path.join(building.folder("release"), "examples", "demo")
  os.execv(program, [program] + argv)
