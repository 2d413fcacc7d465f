"""The options that all programs of this folder have."""

import argparse
import os
import sys

from table import FILE

# TensorFlow reads it when it is imported, which programs do after this: no lines about the processor.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def parse(description, **defaults):
  """--small, --out FOLDER and --data FOLDER; further ones by name and default, such as parse(__doc__, seeds=3).

  The folder of --out is made; an older table there is deleted.
  """
  parser = argparse.ArgumentParser(
    prog=os.path.basename(sys.argv[0]), description=description, formatter_class=argparse.RawDescriptionHelpFormatter
  )
  parser.add_argument("--small", action="store_true", help="in seconds: to see that it works, not how fast")
  parser.add_argument("--out", metavar="FOLDER", help="write the table (%s) and the picture there" % FILE)
  parser.add_argument(
    "--data",
    metavar="FOLDER",
    help="the four files of Fashion-MNIST; otherwise $FASHION_MNIST_DIR, that of Debian's package, or generated images",
  )
  for name, default in defaults.items():
    parser.add_argument("--" + name, type=type(default), default=default, help="default: %(default)s")
  args = parser.parse_args()
  if args.out:
    os.makedirs(args.out, exist_ok=True)
    old = os.path.join(args.out, FILE)
    if os.path.exists(old):
      os.remove(old)
  return args
