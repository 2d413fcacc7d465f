"""What of an error's message is compared between a server of ours and one of stock."""

import re

WORDS = 5


def first_words(message):
  """The start of an error's own text, without what sessions, masters and clients put before it."""
  text = re.split(r"^Node: '.*'$", message, flags=re.M)[-1]
  text = re.sub(r"; in file \S+", "", text)  # of a damaged record, which stock's error does not name
  before = None
  while text != before:
    before = text
    text = re.sub(
      r"^\s*(Graph execution error:|From /job:\S+:\n|=+\n|[A-Z_]+: From /job:\S+:\n|\d+ root error\(s\) found\.|"
      r"\(\d+\) [A-Z]\w+(\(\d\))?:)",
      "",
      text,
    )
  return text.split()[:WORDS]
