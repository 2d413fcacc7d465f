"""Tests of the description of the machine."""

import os
import tempfile
import unittest

import machine


class MachineTest(unittest.TestCase):
  def test_what_a_table_has_to_say(self):
    facts = dict(machine.facts("/nonexistent/millrace"))
    for name in ("processor", "cores", "memory", "system", "date", "commit", "Millrace", "TensorFlow"):
      self.assertTrue(facts.get(name), name)
    self.assertEqual(facts["Millrace"], "unknown")

  def test_files_of_proc(self):
    with tempfile.NamedTemporaryFile("w") as f:
      f.write("model\t: 85\nmodel name\t: Some CPU @ 2: fast\n")
      f.flush()
      self.assertEqual(machine.first_of(f.name, "model name"), "Some CPU @ 2: fast")
      self.assertEqual(machine.first_of(f.name, "other"), "unknown")
    self.assertEqual(machine.first_of(os.devnull + "/x", "model"), "unknown")

  def test_company(self):
    self.assertEqual(
      machine.company([dict(others=0.1), dict(others=1.0), dict(others=0.2), dict(metric="FAILED")]),
      "0.20 cores in the median, at most 1.00",
    )
    self.assertEqual(machine.company([]), "unknown")


if __name__ == "__main__":
  unittest.main()
