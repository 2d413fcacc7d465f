"""Links of pages lead somewhere, and files that they name exist."""

import glob
import os
import re

import pytest

import cpp_api
import doc_pages

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:millrace|tests|tools|docs|examples|benchmarks|proto|cmake)/[\w.*/-]+)`")
# Written by the benchmarks where somebody runs them.
MAY_LACK = ("docs/performance.md",)


def generated():
  """Pages that ./dev docs makes."""
  made = {"docs/reference/messages.md", "docs/reference/ops/index.md", "docs/reference/cpp/index.md"}
  made |= {f"docs/reference/cpp/{name}.md" for name in cpp_api.PAGES}
  families = os.listdir(os.path.join(doc_pages.ROOT, "millrace", "ops"))
  return made | {f"docs/reference/ops/{name}.md" for name in families if "." not in name}


def anchors(path):
  """As MkDocs makes them of headings."""
  found = set()
  for heading in re.findall(r"^#+ (.+)$", doc_pages.prose(path), re.M):
    text = re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower()
    found.add(re.sub(r"[-\s]+", "-", text))
  return found


@pytest.mark.parametrize("path", doc_pages.pages() + doc_pages.readmes())
def test_links(path):
  for target in LINK.findall(doc_pages.prose(path)):
    if re.match(r"https?://|mailto:", target):
      continue
    name, _, anchor = target.partition("#")
    other = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if other in generated():
      continue
    assert os.path.exists(os.path.join(doc_pages.ROOT, other)), f"{path}: {target}"
    assert not anchor or anchor in anchors(other), f"{path}: {target}"


@pytest.mark.parametrize("path", doc_pages.pages())
def test_files_that_are_named(path):
  for name in PATH.findall(doc_pages.prose(path)):
    full = os.path.join(doc_pages.ROOT, name)
    assert name in MAY_LACK or "NNN" in name or glob.glob(full) or glob.glob(full + ".*"), f"{path}: {name}"


def test_the_navigation_has_every_page():
  text = doc_pages.read("mkdocs.yml")
  listed = set(re.findall(r"^\s+- (?:[^:]+: )?(\S+\.md)\??$", text, re.M))
  folders = tuple("docs/" + f for f in re.findall(r": (\S+/)$", text, re.M))
  there = {p[len("docs/") :] for p in doc_pages.pages() if p.startswith("docs/") and not p.startswith(folders)}
  made = {p[len("docs/") :] for p in generated() if not p.startswith(folders)}
  assert listed - {"performance.md"} == there | made


def test_each_room_and_family_says_what_it_is():
  millrace = os.path.join(doc_pages.ROOT, "millrace")
  folders = [os.path.join(millrace, n) for n in os.listdir(millrace)]
  folders += [os.path.join(millrace, "ops", n) for n in os.listdir(os.path.join(millrace, "ops"))]
  lacking = [
    os.path.relpath(f, doc_pages.ROOT) for f in folders if os.path.isdir(f) and not os.path.exists(os.path.join(f, "README.md"))
  ]
  assert not lacking
