"""`python -m millrace script.py ...`"""

import sys

from millrace.scripts import run

if __name__ == "__main__":
  sys.exit(run.main())
