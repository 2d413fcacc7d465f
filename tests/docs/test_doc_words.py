"""Messages, flags and verbs that pages name are those of the code."""

import os
import re

import pytest

import doc_pages
import error_texts

CATALOGUE = "docs/reference/errors.md"


def test_the_catalogue_has_the_words_of_the_code():
  problems = error_texts.problems(doc_pages.ROOT, doc_pages.read(CATALOGUE))
  assert not problems, "\n".join(problems)


def test_the_catalogue_says_what_to_do():
  """Each entry has a text, and none is there twice."""
  text = doc_pages.read(CATALOGUE)
  words = [words for _, words in error_texts.entries(text)]
  assert len(words) == len(set(words)) >= 60
  assert len(words) == len(re.findall(r"^### ", text, re.M))
  for entry in re.split(r"^### ", text, flags=re.M)[1:]:
    assert len(entry.split("\n", 1)[1].split("\n## ")[0].strip()) > 15, entry


def sources(*tops):
  for top in tops:
    for base, folders, names in os.walk(os.path.join(doc_pages.ROOT, top)):
      folders[:] = [f for f in folders if f != "__pycache__"]
      for name in names:
        if name.endswith((".py", ".cc", ".h")):
          yield doc_pages.read(os.path.relpath(os.path.join(base, name), doc_pages.ROOT))


@pytest.fixture(scope="module")
def flags():
  """All that a program of ours takes, and of others that pages call."""
  found = {"--no-install-recommends", "--preset", "--help", "--version", "--gtest_filter"}
  for text in sources("tools", "tests", "benchmarks", "examples"):
    found.update(re.findall(r"--[a-z][\w-]+", text))
  return found


@pytest.mark.parametrize("path", [p for p in doc_pages.pages() if not p.startswith("docs/experiments/")])
def test_flags_and_verbs(path, flags):
  text = doc_pages.read(path)
  code = " ".join(
    re.findall(r"`([^`\n]+)`", text) + [b.code for b in doc_pages.blocks(path) if b.language in ("bash", "console")]
  )
  unknown = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", code)) - flags
  assert not unknown, f"{path}: {unknown}"
  verbs = set(re.findall(r'^ +"([\w-]+)": \(', doc_pages.read("tools/dev/__main__.py"), re.M))
  assert set(re.findall(r"\./dev ([a-z][a-z-]*)\b", code)) <= verbs, path


@pytest.mark.parametrize("path", [*doc_pages.pages(), *doc_pages.NOT_PAGES])
def test_lists_begin_behind_an_empty_line(path):
  """Otherwise MkDocs makes one paragraph of the list and of what is above it."""
  above = ""
  for number, line in enumerate(doc_pages.prose(path).splitlines(), 1):
    if re.match(r"[-*] ", line):
      assert not above or re.match(r"([-*] |\s|#)", above), f"{path}:{number}: no empty line before {line!r}"
    above = line
