"""docs/parallel.md: the places of its figures, which `./dev parallel` fills.

<!-- figures of python/data_parallel -->
what was measured, or a sentence that says how it is
<!-- end of figures -->
"""

import os
import re
import shutil

from console import ROOT

PAGE = os.path.join(ROOT, "docs", "parallel.md")
PICTURES = "parallel"  # beside the page
TABLE = "TABLE.md"
_PLACE = re.compile(r"^<!-- figures of (?P<name>\S+) -->\n(?P<content>.*?)^<!-- end of figures -->$", re.M | re.S)
_PICTURE = re.compile(r"!\[[^\]]*\]\((%s/[^)]+)\)" % PICTURES)


def places(text):
  """The names of the places of a page, in their order."""
  return [m["name"] for m in _PLACE.finditer(text)]


def filled(text, name, content):
  """The page with that in a place. Raises KeyError if there is none of that name."""
  found = [m for m in _PLACE.finditer(text) if m["name"] == name]
  if len(found) != 1:
    raise KeyError("the page has %d places for the figures of %s" % (len(found), name))
  begin, end = found[0].span("content")
  return text[:begin] + content.rstrip("\n") + "\n" + text[end:]


def figures_of(folder, name, page=PAGE):
  """The table of a program's folder and links to its pictures, which are copied beside the page; those that the page has of an
  earlier run go."""
  pictures = os.path.join(os.path.dirname(page), PICTURES)
  with open(page, encoding="utf-8") as f:
    old = next(m["content"] for m in _PLACE.finditer(f.read()) if m["name"] == name)
  for link in _PICTURE.findall(old):
    path = os.path.join(os.path.dirname(page), link)
    if os.path.exists(path):
      os.remove(path)
  with open(os.path.join(folder, TABLE), encoding="utf-8") as f:
    parts = [f.read().strip("\n")]
  for file in sorted(os.listdir(folder)):
    if file.endswith(".svg"):
      os.makedirs(pictures, exist_ok=True)
      copy = "%s_%s" % (name.split("/")[0], file)
      shutil.copyfile(os.path.join(folder, file), os.path.join(pictures, copy))
      parts.append("![%s](%s/%s)" % (file[: -len(".svg")].replace("_", " "), PICTURES, copy))
  return "\n\n".join(parts)


def write(name, content, page=PAGE):
  """Fills a place of the page."""
  with open(page, encoding="utf-8") as f:
    text = f.read()
  text = filled(text, name, content)
  with open(page, "w", encoding="utf-8") as f:
    f.write(text)
