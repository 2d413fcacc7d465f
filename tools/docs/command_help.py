"""The output of `millrace COMMAND --help`, as Markdown."""

import re
import subprocess

from cpp_api import escape

OPTION = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
SECTION = re.compile(r"^([A-Z][\w ]*):$")


def ask(command, words):
  """Returns the help of `millrace` (no words) or of a subcommand."""
  done = subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True, timeout=30)
  return done.stdout


def subcommands(help_text):
  """Returns the names in the section of subcommands."""
  return [name for name, _, section in rows(help_text) if section == "Subcommands"]


def rows(help_text):
  """Returns (option or name, description, section) of each line that CLI11 lists; continued lines are joined."""
  found, section = [], None
  for line in help_text.split("\n"):
    head = SECTION.match(line)
    option = OPTION.match(line)
    if head:
      section = head.group(1)
    elif not line.strip():
      continue
    elif section and option:
      found.append([option.group(1), option.group(2) or "", section])
    elif section and line.startswith("   ") and found:
      found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    else:
      section = None
  return [tuple(row) for row in found]


def flags(help_text):
  return sorted(set(re.findall(r"--\w[\w-]*", " ".join(row[0] for row in rows(help_text)))))


def table(help_text):
  """Returns options, arguments and commands, one table per section."""
  out, section = [], None
  for name, what, own in rows(help_text):
    if own != section:
      section = own
      out += ["", "| %s | |" % own.lower(), "|---|---|"]
    out.append("| `%s` | %s |" % (name.replace("|", "\\|"), escape(what)))
  return "\n".join(out).strip() + "\n"
