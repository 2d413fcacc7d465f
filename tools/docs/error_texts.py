"""Error messages of the code: the list of them, by code and first words, and a check of the catalogue.

messages(root)            every Message that the sources build
problems(root, catalogue) what docs/reference/errors.md names and the code does not have
page(found)               the list of all, as Markdown
"""

import collections
import os
import re

CODES = {
  "Cancelled": "CANCELLED",
  "InvalidArgument": "INVALID_ARGUMENT",
  "DeadlineExceeded": "DEADLINE_EXCEEDED",
  "NotFound": "NOT_FOUND",
  "AlreadyExists": "ALREADY_EXISTS",
  "PermissionDenied": "PERMISSION_DENIED",
  "Unauthenticated": "UNAUTHENTICATED",
  "ResourceExhausted": "RESOURCE_EXHAUSTED",
  "FailedPrecondition": "FAILED_PRECONDITION",
  "Aborted": "ABORTED",
  "OutOfRange": "OUT_OF_RANGE",
  "Unimplemented": "UNIMPLEMENTED",
  "Internal": "INTERNAL",
  "Unavailable": "UNAVAILABLE",
  "DataLoss": "DATA_LOSS",
}
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
BUILT = re.compile(r"\b(%s)\(\s*((?:%s\s*)+)" % ("|".join(CODES), LITERAL))
CONSTRUCTOR = re.compile(r"\b(%s)\(" % "|".join(CODES))
# What neither opens nor closes a parenthesis, literals whole.
SKIPPED = re.compile(r"""%s|'(?:[^'\\\n]|\\.)'|//[^\n]*|[^()"'/]+|.""" % LITERAL, re.S)
HEADING = re.compile(r"^### ([A-Z_]+(?: or [A-Z_]+)*): `(.+)`$", re.M)
FOLDERS = ("millrace", "tools/millrace")

# Words whose code is not that of the constructor around them: {words: (codes, why)}.
DECIDED_ELSEWHERE = {
  "The server at": (
    "DEADLINE_EXCEEDED ABORTED",
    "they are the last error of a wait, of which PeerLink and JoinTasks take the words",
  ),
  "does not answer; last error:": (
    "DEADLINE_EXCEEDED ABORTED",
    "PeerLink::GiveUp says why the wait ended; MasterWatch ends a step",
  ),
  "This server has not learned its cluster yet": ("ABORTED UNAVAILABLE", "a macro is told the constructor (service_gate.h)"),
  "truncated record at": ("DATA_LOSS", "RecordReader::Bad puts the words together"),
  "corrupted record at": ("DATA_LOSS", "RecordReader::Bad puts the words together"),
  "Resource": ("NOT_FOUND", "with ALREADY_EXISTS, no program of users makes a resource twice"),
}

Message = collections.namedtuple("Message", "code words path")


def sources(root):
  for folder in FOLDERS:
    for base, folders, files in os.walk(os.path.join(root, folder)):
      folders[:] = sorted(d for d in folders if d != "testing")
      for name in sorted(files):
        if name.endswith((".cc", ".h", ".py")) and not re.search(r"_test\.|\.cases\.", name):
          path = os.path.join(base, name)
          with open(path, encoding="utf-8") as f:
            yield os.path.relpath(path, root), f.read()


def joined(literals):
  """Returns the text of adjacent literals."""
  text = "".join(part[1:-1] for part in re.findall(LITERAL, literals))
  return re.sub(r'\\(["\\])', r"\1", text).replace("\\n", " ").replace("\\t", " ")


def messages(root):
  """Returns the messages whose text begins with a literal."""
  for path, text in sources(root):
    for m in BUILT.finditer(text):
      words = joined(m.group(2)).strip()
      if len(words) > 2:
        yield Message(CODES[m.group(1)], words, path)


def literals(root):
  """Returns all texts of the sources, adjacent ones joined, in one string."""
  return "\0".join(joined(m.group()) for _, text in sources(root) for m in re.finditer(r"(?:%s\s*)+" % LITERAL, text))


def entries(catalogue):
  """Returns (codes, first words) of each heading of the catalogue."""
  return [(m.group(1).split(" or "), m.group(2)) for m in HEADING.finditer(catalogue)]


def arguments(text, start):
  """Returns what stands between the parenthesis that ends at `start` and its other half."""
  depth, at = 1, start
  while depth:
    m = SKIPPED.match(text, at)
    if m is None:
      break
    depth += (m.group() == "(") - (m.group() == ")")
    at = m.end()
  return text[start:at]


def constructors(root):
  """Returns (code, its literals) of each error that the sources make."""
  for _, text in sources(root):
    for m in CONSTRUCTOR.finditer(text):
      parts = re.finditer(r"(?:%s\s*)+" % LITERAL, arguments(text, m.end()))
      yield CODES[m.group(1)], [joined(part.group()) for part in parts]


def problems(root, catalogue, elsewhere=None):
  """Returns a line for each entry whose words the sources do not have, or have in parts, or whose codes are others than those of the
  errors that they make with these words. Of the words in `elsewhere` (default: DECIDED_ELSEWHERE) it knows the codes."""
  elsewhere = DECIDED_ELSEWHERE if elsewhere is None else elsewhere
  made, texts = list(constructors(root)), literals(root)
  lines_of_code = "\n".join(text for _, text in sources(root))
  lines = []
  for codes, words in entries(catalogue):
    if words not in texts:
      lines.append("no source says `%s`" % words)
      continue
    if words not in lines_of_code and words.replace('"', '\\"') not in lines_of_code:
      lines.append("grep does not find `%s`, since a literal ends within it: join its parts" % words)
    there = {code for code, parts in made if any(words in part for part in parts)}
    if words in elsewhere:
      named = set(elsewhere[words][0].split())
      if named == there:
        lines.append("`%s` has the codes that are made with it: take it out of DECIDED_ELSEWHERE" % words)
      there = named
    wrong, more = sorted(set(codes) - there), sorted(there - set(codes))
    if not there:
      lines.append("no error is made around `%s`: say in DECIDED_ELSEWHERE which code it has, and who gives it" % words)
    elif wrong:
      lines.append("`%s` is of %s, not of %s" % (words, ", ".join(sorted(there)), ", ".join(wrong)))
    elif more:
      lines.append("`%s` is also of %s" % (words, ", ".join(more)))
  return lines


def page(found):
  rooms = collections.defaultdict(set)
  for message in found:
    parts = message.path.split("/")
    room = "/".join(parts[: 3 if parts[1] == "ops" else 2])
    rooms[room].add((message.code, message.words))
  out = [
    "# All messages\n",
    "Every message that the sources build from a text, by the room that builds it: its code and its first words. Values "
    "follow the words. The [catalogue](errors.md) says of the most frequent ones what they mean and what to do.\n",
  ]
  for room in sorted(rooms):
    out += ["## %s\n" % room, "| code | first words |", "|---|---|"]
    out += ["| %s | %s |" % (code, code_span(words)) for code, words in sorted(rooms[room])]
    out.append("")
  return "\n".join(out)


def code_span(words):
  """Returns text as code in a cell of a table."""
  return "<code>%s</code>" % (
    words.replace("&", "&amp;")
    .replace("<", "&lt;")
    .replace(">", "&gt;")
    .replace("|", "&#124;")
    .replace("*", "&#42;")
    .replace("_", "&#95;")
    .replace("`", "&#96;")
    .replace("[", "&#91;")
    .replace("]", "&#93;")
  )
