"""Tests of pictures from text."""

import unittest
import xml.etree.ElementTree

import pictures


def svg(kind, text):
  drawn = pictures.draw(kind, text)
  return xml.etree.ElementTree.fromstring(drawn)


def texts(root):
  return [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]


class PicturesTest(unittest.TestCase):
  def test_sequence(self):
    root = svg("sequence", "a -> b: says <x>\nb --> a: answers\nb: waits\n== later ==\nb -> b: alone\n")
    self.assertEqual(texts(root), ["a", "b", "says <x>", "answers", "waits", "later", "alone"])
    with self.assertRaises(ValueError):
      pictures.draw("sequence", "nonsense")

  def test_a_long_text_makes_room(self):
    def width(text):
      return float(svg("sequence", "a -> b: " + text)[0].get("viewBox").split()[2])

    self.assertGreater(width("x" * 80), width("x") + 300)

  def test_boxes(self):
    root = svg("boxes", "top = one / two | three\nfour\n\none / two -> four: down\none / two -> three\n")
    self.assertEqual(texts(root), ["top", "one", "two", "three", "four", "down"])
    with self.assertRaises(ValueError):
      pictures.draw("boxes", "a\n\na -> b: x")

  def test_rooms(self):
    layers = "# comment\nbase 0 none\ngraph 2 base\nops.op 2 base graph\nlater 2 base\n"
    self.assertEqual(pictures.rooms(layers, lambda room: room != "later"), "level 2 = graph | ops.op\nlevel 0 = base")


if __name__ == "__main__":
  unittest.main()
