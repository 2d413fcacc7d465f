"""Options of a verb or script: an error suggests the most similar valid word."""

import argparse
import difflib
import re


def near(word, known):
  """Returns "; did you mean X?", or ""."""
  found = difflib.get_close_matches(word, list(known), 1, 0.5)
  return "; did you mean %s?" % found[0] if found else ""


class Parser(argparse.ArgumentParser):
  def parse_known_args(self, args=None, namespace=None):
    """Called on subparsers by their parent, which does not know their options: each rejects its own unknown
    ones."""
    found, unknown = super().parse_known_args(args, namespace)
    if unknown:
      self.error("unrecognized arguments: %s" % " ".join(unknown))
    return found, unknown

  def error(self, message):
    unknown = re.search(r"unrecognized arguments:.*?(--?[^\s=]+)", message)
    choice = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
    if unknown:
      message += near(unknown.group(1), self._option_string_actions)
    elif choice:
      message += near(choice.group(1), re.findall(r"[^\s,']+", choice.group(2)))
    super().error(message)
