"""The options of `./dev fuzz programs`; needs nothing but tools/dev."""

import options

DESCRIPTION = "Random programs on servers of ours and of stock TensorFlow: what they give must be the same."


def parser():
  ap = options.Parser(prog="./dev fuzz programs", description=DESCRIPTION)
  ap.add_argument("--count", type=int, metavar="N", help="how many programs (100)")
  ap.add_argument("--seed", type=int, default=1, metavar="S", help="what they are made from (1)")
  ap.add_argument("--only", type=int, metavar="K", help="the program of this number alone")
  ap.add_argument(
    "--against",
    metavar="BINARY",
    help="the command whose servers are tried; 'stock' looks for programs that have several answers",
  )
  ap.add_argument("--variables", choices=["both", "reference", "resource"], default="both", help="kinds of variables (both)")
  ap.add_argument("--out", metavar="FOLDER", help="where the scripts of programs that differ are put")
  ap.add_argument("--print", action="store_true", dest="show", help="print the programs")
  ap.add_argument("--no-shrink", action="store_false", dest="shrink", help="do not make programs that differ smaller")
  ap.add_argument(
    "--places", action="store_true", help="no stock: programs on three tasks, on one, and in a session of the C++ client"
  )
  ap.add_argument(
    "--client", action="store_true", help="no stock servers: programs by Millrace's own Python client, beside the stock client"
  )
  ap.add_argument(
    "--gpu",
    action="store_true",
    help="each task of ours has a GPU, of the libraries that stand in for CUDA's (tests/gpu); programs with resource variables",
  )
  ap.add_argument(
    "--planted",
    action="store_true",
    help="build versions with the faults of planted/*.patch; a program must find each "
    "(within 200, if --count does not say another number)",
  )
  ap.add_argument("--stop", type=int, default=20, metavar="N", help="stop after N programs that differ (20)")
  return ap
