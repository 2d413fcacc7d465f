"""Tests of the picture of ratios."""

import math
import unittest
import xml.etree.ElementTree as ET

import picture
from verdicts import Row

SVG = "{http://www.w3.org/2000/svg}"


def row(name, ratio=1.0, **more):
  return Row(name, **dict(dict(unit="us", ratio=ratio, verdict="ok"), **more))


class AxisTest(unittest.TestCase):
  def test_ticks_hold_the_figures(self):
    self.assertEqual(picture.ticks(0.3, 7), [0.2, 0.5, 1, 2, 5, 10])
    self.assertEqual(picture.ticks(0.5, 2), [0.5, 1, 2])

  def test_one_is_always_on_it(self):
    for ratios in ((3.0, 40.0), (0.1,), (1.0,), ()):
      steps = picture.axis([row("a/b", r) for r in ratios])
      self.assertTrue(steps[0] <= min(ratios + (1.0,)) and 1 in steps and steps[-1] >= max(ratios + (1.0,)), steps)

  def test_a_goal_that_was_missed_is_on_it(self):
    self.assertGreaterEqual(picture.axis([row("a/b", 1.5, factor=40, red=True)])[-1], 40)


class LanesTest(unittest.TestCase):
  def test_marks_that_are_near_lie_apart(self):
    self.assertEqual(len(set(picture.lanes([10, 11, 12]))), 3)
    self.assertEqual(picture.lanes([10, 100, 200]), [0, 0, 0])
    self.assertEqual(len(picture.lanes([1] * 30)), 30)


class DrawTest(unittest.TestCase):
  def draw(self, *rows):
    return ET.fromstring(picture.draw(rows))

  def titles(self, svg, shape):
    return [e.find(SVG + "title").text for e in svg.iter(SVG + shape) if e.find(SVG + "title") is not None]

  def test_a_mark_for_each_row(self):
    svg = self.draw(row("a/x<y", 2), row("a/rss_idle", 9, unit="MB"), row("b/z", 0.5, verdict="missed", red=True))
    self.assertIn("a/x<y: 2.00, ok", self.titles(svg, "circle"))
    self.assertIn("a/rss_idle: 9.00, ok", self.titles(svg, "circle"))
    self.assertIn("b/z: 0.50, missed", self.titles(svg, "path"))

  def test_the_axis_is_logarithmic(self):
    svg = self.draw(row("a/x", 0.1), row("a/y", 1), row("a/z", 10))
    x = sorted(float(c.get("cx")) for c in svg.iter(SVG + "circle") if c.find(SVG + "title").text.startswith("a/"))
    self.assertTrue(math.isclose(x[1] - x[0], x[2] - x[1], abs_tol=0.2), x)

  def test_a_row_without_a_ratio_is_told(self):
    svg = self.draw(row("a/x"), row("a/y", None, verdict="failed on ours", red=True))
    self.assertIn("y: failed on ours", [t.text for t in svg.iter(SVG + "text")])

  def test_all_within(self):
    svg = self.draw(*[row("case%d/m" % i, r) for i, r in enumerate((0.01, 1, 300))])
    width, height = map(float, svg.get("viewBox").split()[2:])
    for circle in svg.iter(SVG + "circle"):
      self.assertTrue(0 < float(circle.get("cx")) < width and 0 < float(circle.get("cy")) < height)


class NoteTest(unittest.TestCase):
  def test_the_worst_timed_row(self):
    self.assertEqual(picture.note([row("a/x", 3), row("a/y", 2), row("a/rss", 0.5, unit="MB")]), ("2.00 y", picture.FAINT))

  def test_furthest_below_its_goal(self):
    rows = [row("a/x", 3), row("a/y", 2, factor=2.5, red=True), row("a/z", 3, factor=9, red=True)]
    self.assertEqual(picture.note(rows), ("3.00 z", picture.RED))


if __name__ == "__main__":
  unittest.main()
