"""Texts that explain flags to the users of a program."""

import os
import shutil
import sys
import textwrap


def get_help_width():
  """Columns of the terminal, 80 if there is none."""
  if not sys.stdout.isatty():
    return 80
  columns = int(os.environ.get("COLUMNS") or shutil.get_terminal_size((80, 24)).columns)
  return columns if columns > 0 else 80


def text_wrap(text, length=None, indent="", firstline_indent=None):
  """Returns the text in lines of at most `length` columns."""
  length = get_help_width() if length is None else length
  if len(indent) >= length:
    raise ValueError("Length of indent exceeds length")
  first = indent if firstline_indent is None else firstline_indent
  lines = []
  for paragraph in (line.strip() for line in text.splitlines()):
    if paragraph:
      lines.extend(textwrap.wrap(paragraph, length, initial_indent=indent if lines else first, subsequent_indent=indent))
    else:
      lines.append("")
  return "\n".join(lines)


def doc_to_help(doc):
  """Returns a docstring with its paragraphs as single lines."""
  paragraphs = textwrap.dedent(doc.strip()).split("\n\n")
  return "\n\n".join(" ".join(line.strip() for line in paragraph.splitlines()) for paragraph in paragraphs)


def of_flag(flag):
  """The lines that explain one flag."""
  names = "[no]" + flag.name if flag.boolean else flag.name
  head = "  --%s:" % names
  if flag.short_name:
    head = "  -%s,--%s:" % (flag.short_name, names)
  text = text_wrap("%s %s" % (head.strip(), flag.help.replace("\n  repeat", "\nrepeat")), indent="    ", firstline_indent="  ")
  if flag.default_as_str:
    text += "\n" + text_wrap("(default: %s)" % flag.default_as_str, indent="    ")
  if flag.parser.syntactic_help:
    text += "\n" + text_wrap("(%s)" % flag.parser.syntactic_help, indent="    ")
  return text


def of_modules(flags_by_module):
  """The text for pairs of a module's name and its flags."""
  parts = []
  for module, flags in flags_by_module:
    shown = {flag.name: flag for flag in flags}
    parts.append("\n%s:\n%s" % (module, "\n".join(of_flag(shown[name]) for name in sorted(shown))))
  return "\n".join(parts)


def usage(values, full=False):
  """What `--help` prints: the script's own docstring and its flags; with `full`, everybody's."""
  main = sys.modules.get("__main__")
  doc = getattr(main, "__doc__", None) or "\nUSAGE: %s [flags]\n" % (sys.argv[0] if sys.argv else "")
  text = doc_to_help(doc) if getattr(main, "__doc__", None) else "       " + doc.strip()
  text = "\n%s\nflags:\n%s\n" % (text.replace("%s", sys.argv[0]), values.get_help() if full else values.main_module_help())
  return text if full else text + "\nTry --helpfull to get a list of all flags."
