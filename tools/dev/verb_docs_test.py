"""Tests of ./dev docs, without MkDocs."""

import os
import tempfile
import unittest

import verb_docs

PAGE = """<html><head><link rel="stylesheet" href="assets/main.css"><link rel="canonical" href="https://example.com/">%s</head>
<body><a href="https://ui.perfetto.dev">a link</a><img src="picture.svg"><script src="assets/bundle.js"></script>%s</body></html>"""


class DocsTest(unittest.TestCase):
  def loads(self, head="", body=""):
    with tempfile.TemporaryDirectory() as site:
      os.makedirs(os.path.join(site, "operate"))
      with open(os.path.join(site, "operate", "start.html"), "w") as f:
        f.write(PAGE % (head, body))
      return verb_docs.loads_from_network(site)

  def test_what_a_page_links_to_is_not_loaded(self):
    self.assertEqual(self.loads(), [])

  def test_what_a_page_loads_is_found(self):
    found = self.loads('<link rel="preconnect" href="https://fonts.example.com">', "<script src=//cdn.example.com/x.js></script>")
    self.assertEqual([page for page, _ in found], ["operate/start.html"] * 2)

  def test_versions_are_pinned(self):
    with open(verb_docs.REQUIREMENTS) as f:
      self.assertTrue(all("==" in line for line in f if line.strip()))


if __name__ == "__main__":
  unittest.main()
