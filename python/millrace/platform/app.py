"""tf.app: runs a program's main function with its command line."""

import sys

from millrace.platform import flags as flags  # noqa: PLC0414 (tf.app.flags)
from millrace.platform.flags import help_text


def run(main=None, argv=None):
  """Reads the flags of `argv` (default sys.argv), calls `main` with what is left and ends the program with what it returns.

  `main` is by default the function of this name in the script. Unknown flags are left to it. `--help` prints what the script's
  flags are, `--helpfull` also those of other modules.
  """
  argv = sys.argv if argv is None else argv
  try:
    rest = flags.FLAGS(argv, known_only=True)
  except flags.Error as error:
    sys.stderr.write("FATAL Flags parsing error:\n  %s\nPass --helpshort or --helpfull to see help on flags.\n" % error)
    sys.exit(1)
  for position, arg in enumerate(rest[1:]):
    if arg == "--":
      break
    name = arg.lstrip("-").partition("=")[0]
    if arg.startswith("-") and name in ("help", "helpshort", "helpfull", "?") and name not in flags.FLAGS:
      print(help_text.usage(flags.FLAGS, full=name == "helpfull"))
      sys.exit(1)
  main = main or sys.modules["__main__"].main
  sys.exit(main(rest))
