import tempfile
import unittest

import parallel_page
import verb_parallel

PAIRS = [("python", "data_parallel"), ("python", "staleness"), ("cpp", "data_parallel")]


class ProgramsTest(unittest.TestCase):
  def test_what_is_chosen(self):
    self.assertEqual(verb_parallel.chosen(None, [], PAIRS), PAIRS)
    self.assertEqual(verb_parallel.chosen(None, ["data_parallel"], PAIRS), [PAIRS[0], PAIRS[2]])
    self.assertEqual(verb_parallel.chosen(None, ["staleness", "cpp/data_parallel"], PAIRS), PAIRS[1:])

  def test_programs_in_cpp(self):
    with tempfile.NamedTemporaryFile("w", suffix=".h") as f:
      f.write(
        '#define PROGRAMS(PROGRAM) \\\n  PROGRAM(DataParallel, "data_parallel", "Four \\"forms\\".") \\\n  PROGRAM(Embedding, "embedding", "A.")\n'
      )
      f.flush()
      path, verb_parallel.CPP_LIST = verb_parallel.CPP_LIST, f.name
      try:
        self.assertEqual(verb_parallel.cpp_programs(), ["data_parallel", "embedding"])
      finally:
        verb_parallel.CPP_LIST = path

  def test_the_page_has_a_place_for_each_program(self):
    with open(parallel_page.PAGE, encoding="utf-8") as f:
      places = parallel_page.places(f.read())
    self.assertEqual(len(places), len(set(places)))
    self.assertIn(verb_parallel.MACHINE, places)
    programs = verb_parallel.python_programs()
    self.assertIn("data_parallel", programs)
    self.assertNotIn("table", programs)
    names = ["python/" + name for name in programs] + ["cpp/" + name for name in verb_parallel.cpp_programs()]
    self.assertEqual([name for name in names if name not in places], [])


if __name__ == "__main__":
  unittest.main()
