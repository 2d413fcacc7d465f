"""Tests of check_comments.py on small trees."""

import os
import tempfile
import unittest

import check_comments


class CheckCommentsTest(unittest.TestCase):
  def problems(self, files):
    with tempfile.TemporaryDirectory() as root:
      for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
          f.write(text)
      return check_comments.check(root)

  def test_each_word(self):
    for word in check_comments.WORDS:
      problems = self.problems({"millrace/base/a.h": "\n// %s one graph.\nclass A;\n" % word})
      self.assertEqual(1, len(problems), problems)
      self.assertIn('millrace/base/a.h:2: the comment begins with "%s"' % word, problems[0])

  def test_places(self):
    problems = self.problems(
      {
        "millrace/base/a.h": (
          "// Of a file.\n"
          "#pragma once\n"
          "\n"
          "class A {\n"
          "  // Of a class.\n"
          "  int a();\n"
          "  // Of another\n"
          "  // declaration.\n"
          "  int b();\n"
          "};\n"
        )
      }
    )
    self.assertEqual(["1", "5", "7"], [p.split(":")[1] for p in problems])

  def test_sentences(self):
    self.assertEqual(
      [],
      self.problems(
        {
          "millrace/base/a.h": (
            "// The values of one graph.\n"
            "#pragma once\n"
            "\n"
            "// Returns the number\n"
            "// Of all lines but the first, nothing is said.\n"
            "//\n"
            "// What follows is a second paragraph.\n"
            "int a();\n"
            "// Offsets from the beginning.\n"
            "int b();\n"
          )
        }
      ),
    )

  def test_comments_beside_code_or_before_nothing(self):
    self.assertEqual(
      [],
      self.problems(
        {
          "millrace/base/a.h": (
            "int a;  // Of a field, or\n        // Of another one\nint c;\n\n// Of a section.\n\nint b;\n// Of the end.\n"
          )
        }
      ),
    )

  def test_other_files(self):
    text = "// Of one graph.\nclass A;\n"
    self.assertEqual([], self.problems({"millrace/base/a.cc": text, "tests/a.h": text}))


if __name__ == "__main__":
  unittest.main()
