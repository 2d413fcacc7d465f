"""What programs get from their platform: command lines, flags, logging, files, tests."""
