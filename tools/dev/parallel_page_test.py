import os
import tempfile
import unittest

import parallel_page

TEXT = """# Page

<!-- figures of python/a -->
Not yet.
<!-- end of figures -->

between

<!-- figures of cpp/a -->
<!-- end of figures -->
"""


class PageTest(unittest.TestCase):
  def test_places_are_found_and_filled(self):
    self.assertEqual(parallel_page.places(TEXT), ["python/a", "cpp/a"])
    once = parallel_page.filled(TEXT, "python/a", "| 1 |\n\n")
    self.assertIn("<!-- figures of python/a -->\n| 1 |\n<!-- end of figures -->\n\nbetween", once)
    self.assertNotIn("Not yet", once)
    self.assertEqual(parallel_page.filled(once, "python/a", "Not yet."), TEXT)
    self.assertIn("cpp/a -->\nnew\n<!-- end", parallel_page.filled(TEXT, "cpp/a", "new"))

  def test_no_place_or_two(self):
    with self.assertRaisesRegex(KeyError, "0 places for the figures of python/b"):
      parallel_page.filled(TEXT, "python/b", "x")
    with self.assertRaisesRegex(KeyError, "2 places for the figures of python/a"):
      parallel_page.filled(TEXT + TEXT, "python/a", "x")

  def test_tables_and_pictures(self):
    with tempfile.TemporaryDirectory() as folder:
      page, results = os.path.join(folder, "page.md"), os.path.join(folder, "results")
      os.mkdir(results)
      for path, text in (
        (page, TEXT),
        (os.path.join(results, "TABLE.md"), "**T**\n"),
        (os.path.join(results, "two.svg"), "<svg/>"),
      ):
        with open(path, "w") as f:
          f.write(text)
      content = parallel_page.figures_of(results, "python/a", page)
      self.assertEqual(content, "**T**\n\n![two](parallel/python_two.svg)")
      parallel_page.write("python/a", content, page)
      # Of the next run, which draws another picture.
      os.rename(os.path.join(results, "two.svg"), os.path.join(results, "one_line.svg"))
      parallel_page.write("python/a", parallel_page.figures_of(results, "python/a", page), page)
      self.assertEqual(os.listdir(os.path.join(folder, "parallel")), ["python_one_line.svg"])
      with open(page) as f:
        self.assertIn("![one line](parallel/python_one_line.svg)", f.read())


if __name__ == "__main__":
  unittest.main()
