"""Tests of the generation of pages from the code."""

import os
import tempfile
import unittest

import command_help
import cpp_api
import error_texts
import generated

HEADER = """// Engine: what moves.
//
//   Engine engine(3);   // an example
#pragma once

#include <string>

#define MR_GO(x) x

namespace millrace {

class Forward;

// How fast, in <units>.
struct Options {
  int speed = 3;  // per second
  // The name.
  std::string name = "a;b{";
};

// Moves. Thread-safe.
template <class T>
class Engine final : public Base {
 public:
  explicit Engine(int n = 2) : n_{n}, m_(3) {}
  ~Engine();
  Engine(const Engine&) = delete;
  // Starts.
  Status Start(const std::string& how = "x") { return how.empty() ? No() : Yes(); }
  Status Stop();

  // Says how far; "x" or "y".
  int far() const { return n_; }

 private:
  void Hidden();
  int n_ = 0;
};

namespace internal {
void NotShown();
}  // namespace internal

enum class Kind {
  kOne,  // the first
};

// The sum.
constexpr int kSum = Sum({1, 2});
int Free(int a,
         int b);

}  // namespace millrace
"""

HELP = """run one task
Usage: server [OPTIONS]

Positionals:
  address TEXT REQUIRED       HOST:PORT of
                              any task

Options:
  -h,--help                   Print this help message and exit
  --a_b TEXT ...              devices, such as A=2

Subcommands:
  stop                        stop a server

What follows.
"""

SOURCE = """
  return InvalidArgument("The feed \\"x\\" is wrong"
                         ": ", value);
  return Aborted(value, " was stopped");
"""


class CppTest(unittest.TestCase):
  def setUp(self):
    self.folder = tempfile.TemporaryDirectory()
    with open(os.path.join(self.folder.name, "engine.h"), "w") as f:
      f.write(HEADER)
    self.page = cpp_api.header_page(self.folder.name, "engine.h")

  def tearDown(self):
    self.folder.cleanup()

  def test_what_is_public_is_there_in_the_headers_order(self):
    shown = [
      "Engine: what moves.",
      "Engine engine(3);   // an example",
      "### `struct Options`",
      "int speed = 3;  // per second",
      '// The name.\nstd::string name = "a;b{";',
      "### `class Engine`",
      "explicit Engine(int n = 2);",
      "Starts.",
      'Status Start(const std::string& how = "x");\nStatus Stop();',
      "int far() const;",
      "kOne,  // the first",
      "The sum.",
      "constexpr int kSum = Sum({1, 2});",
      "int Free(int a,\n         int b);",
    ]
    places = [self.page.find(text) for text in shown]
    self.assertNotIn(-1, places, shown[places.index(-1)] if -1 in places else "")
    self.assertIn("How fast, in &lt;units&gt;.", self.page)

  def test_what_is_not_public_is_not(self):
    for text in ("Hidden", "n_", "NotShown", "Forward", "~Engine", "delete", "MR_GO"):
      self.assertNotIn(text, self.page)

  def test_every_page_has_its_headers(self):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for name, (_, _, places) in cpp_api.PAGES.items():
      self.assertTrue(list(cpp_api.headers(root, places)), name)


class HelpTest(unittest.TestCase):
  def test_rows(self):
    self.assertEqual(
      command_help.rows(HELP),
      [
        ("address TEXT REQUIRED", "HOST:PORT of any task", "Positionals"),
        ("-h,--help", "Print this help message and exit", "Options"),
        ("--a_b TEXT ...", "devices, such as A=2", "Options"),
        ("stop", "stop a server", "Subcommands"),
      ],
    )
    self.assertEqual(command_help.subcommands(HELP), ["stop"])
    self.assertEqual(command_help.flags(HELP), ["--a_b", "--help"])
    self.assertIn("| `--a_b TEXT ...` | devices, such as A=2 |", command_help.table(HELP))


class SourcesTest(unittest.TestCase):
  def setUp(self):
    self.folder = tempfile.TemporaryDirectory()
    os.makedirs(os.path.join(self.folder.name, "millrace", "graph"))
    with open(os.path.join(self.folder.name, "millrace", "graph", "x.cc"), "w") as f:
      f.write(SOURCE)

  def tearDown(self):
    self.folder.cleanup()


class MessagesTest(SourcesTest):
  def test_messages(self):
    self.assertEqual(
      list(error_texts.messages(self.folder.name)), [("INVALID_ARGUMENT", 'The feed "x" is wrong:', "millrace/graph/x.cc")]
    )
    self.assertIn("## millrace/graph", error_texts.page(error_texts.messages(self.folder.name)))

  def test_the_catalogue_is_held_against_them(self):
    good = '### INVALID_ARGUMENT: `The feed "x" is wrong`\n\nText.\n\n### ABORTED: `was stopped`\n\nText.\n'
    self.assertEqual(error_texts.problems(self.folder.name, good), [])
    wrong = '### NOT_FOUND: `The feed "x"`\n\n### ABORTED or CANCELLED: `no such words`\n'
    self.assertEqual(
      error_texts.problems(self.folder.name, wrong),
      ['`The feed "x"` is of INVALID_ARGUMENT, not of NOT_FOUND', "no source says `no such words`"],
    )

  def test_words_that_no_grep_finds(self):
    with open(os.path.join(self.folder.name, "millrace", "graph", "y.cc"), "w") as f:
      f.write('return Aborted("the tasks "\n               "are lost");')
    self.assertRegex(
      error_texts.problems(self.folder.name, "### ABORTED: `the tasks are lost`\n\nText.\n")[0], "^grep does not find"
    )


class CodesTest(SourcesTest):
  def problems(self, source, codes, words, elsewhere=None):
    with open(os.path.join(self.folder.name, "millrace", "graph", "y.cc"), "w") as f:
      f.write(source)
    return error_texts.problems(self.folder.name, "### %s: `%s`\n\nText.\n" % (codes, words), elsewhere or {})

  def test_words_behind_a_value(self):
    source = 'return Aborted("task ",  // (\n Name(")", \'(\'), " is \\"lost\\"");\nOther(" is late");'
    self.assertEqual(self.problems(source, "ABORTED", 'is "lost"'), [])
    self.assertEqual(self.problems(source, "NOT_FOUND", 'is "lost"'), ['`is "lost"` is of ABORTED, not of NOT_FOUND'])
    self.assertRegex(self.problems(source, "ABORTED", "is late")[0], "^no error is made around `is late`: say in")

  def test_all_codes_of_the_words(self):
    source = 'alive ? Unavailable("the task rests") : Aborted("a", "the task rests");'
    self.assertEqual(self.problems(source, "ABORTED", "task rests"), ["`task rests` is also of UNAVAILABLE"])
    self.assertEqual(self.problems(source, "ABORTED or UNAVAILABLE", "task rests"), [])

  def test_codes_that_are_decided_elsewhere(self):
    source, there = 'Keep(NotFound("no such task"));', {"no such task": ("ABORTED", "who waits takes the words alone")}
    self.assertEqual(self.problems(source, "ABORTED", "no such task", there), [])
    self.assertEqual(
      self.problems(source, "NOT_FOUND", "no such task", there), ["`no such task` is of ABORTED, not of NOT_FOUND"]
    )
    self.assertRegex(self.problems('Aborted("no such task");', "ABORTED", "no such task", there)[0], "take it out of")


class GeneratedTest(unittest.TestCase):
  def test_without_a_build(self):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory() as out:
      generated.write(root, out, None)
      with open(os.path.join(out, "reference", "cpp", "index.md"), encoding="utf-8") as f:
        self.assertIn("| `millrace/client/session.h` | Session: runs parts of a graph, ", f.read())
      for page in ("reference/cpp/index.md", "reference/cpp/client.md", "reference/messages.md", "reference/ops/index.md"):
        with open(os.path.join(out, page)) as f:
          self.assertTrue(f.read().startswith("# "), page)


if __name__ == "__main__":
  unittest.main()
