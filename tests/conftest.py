"""Of all tests: some send SIGINT, which a shell's background jobs ignore, as would the programs that they start."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
