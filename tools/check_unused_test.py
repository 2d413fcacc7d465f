"""Tests of check_unused.py on small trees."""

import os
import tempfile
import unittest

import check_unused

HEADER = "#pragma once\nnamespace millrace {\n%s\n}  // namespace millrace\n"


class CheckUnusedTest(unittest.TestCase):
  def problems(self, files, reasons=""):
    tree = {"tools/unused_allowed.txt": reasons, **files}
    with tempfile.TemporaryDirectory() as root:
      for path, text in tree.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
          f.write(text)
      return check_unused.check(root)

  def assertNames(self, names, declarations, **more):
    """Checks the names of a header with these declarations, in line 3 and below."""
    files = {"millrace/base/a.h": HEADER % declarations, **more}
    found = [problem.split(" uses ")[1].split(";")[0] for problem in self.problems(files)]
    self.assertEqual(sorted(names), sorted(found))

  def test_what_is_declared_and_defined_only(self):
    problems = self.problems(
      {
        "millrace/base/a.h": HEADER % "int Twice(int x);",
        "millrace/base/a.cc": "namespace millrace {\nint Twice(int x) { return x + x; }\n}\n",
      }
    )
    self.assertEqual(
      ["millrace/base/a.h:3: nothing uses Twice; take it out, or give its reason in tools/unused_allowed.txt"], problems
    )

  def test_uses(self):
    declared = {"millrace/base/a.h": HEADER % "int Twice(int x);"}
    for use in (
      "int f() { return Twice(2); }",
      "auto f = &Twice;",
      "#define FOUR Twice(2)\n",
      "struct S { S() : a_{Twice(2)}, b_{} {} int a_, b_; };",
    ):
      self.assertEqual([], self.problems({**declared, "tools/x/main.cc": use}), use)
    for none in ("// Twice(2)\n", "/* Twice */", 'f("Twice");', 'R"(\nTwice())";', "int x = 1'000; // 'Twice'\n"):
      self.assertEqual(1, len(self.problems({**declared, "tools/x/main.cc": none})), none)
    self.assertEqual([], self.problems({**declared, "tools/opgen/main.cc": 'Write("Twice(2)");'}))

  def test_methods_and_types(self):
    self.assertNames(
      ["Get", "b", "Make", "Later"],
      """
class Later;
class A final : public Base {
 public:
  explicit A(int x) : x_(x), y_{x} { Helper(); }
  ~A();
  A& operator=(const A&) = delete;
  [[nodiscard]] virtual int Get() const = 0;
  template <class T, int n = 2>
  static std::map<int, std::vector<T>> Make(absl::FunctionRef<void(int)> f = nullptr);
  const std::string& b() const { return b_; }
  void Run() override;

 private:
  void Helper();
  bool (*pointer_)(int) = nullptr;
  std::function<int(int)> function_;
  int x_ = Helped(3), y_{4};
  MR_GUARDED int z_;
};""",
      **{
        "millrace/base/a.cc": "A::~A() {}\nvoid A::Helper() { x_ = 3; }\nint A::Get() const { return Helped(2); }\n"
        "struct B { void Run() { Run(); } };\nint Helped(int x) { return y_ + z_; }\n"
      },
    )

  def test_a_type_that_is_used(self):
    self.assertNames([], "struct A {\n  int x = 0;\n};\nenum class E : int { kOne };\nstruct A;", **{"tools/x/main.cc": "A a;"})

  def test_what_tests_alone_use(self):
    files = {
      "millrace/base/a.h": HEADER % "int Twice(int x);",
      "millrace/base/a_test.cc": "int x = Twice(2);",
      "millrace/base/testing/b.h": HEADER % "int OfTests();",
    }
    self.assertIn("millrace/base/a.h:3: nothing but tests uses Twice", self.problems(files)[0])
    self.assertEqual([], self.problems(files, "# why\nmillrace/base/ for programs\n"))
    self.assertEqual([], self.problems(files, "Twice a reason\n"))
    del files["millrace/base/a_test.cc"]
    self.assertIn("nothing uses Twice", self.problems(files, "millrace/base/ for programs\n")[0])

  def test_a_reason_for_nothing(self):
    self.assertEqual(
      [
        "tools/unused_allowed.txt: Gone excuses nothing; take it off",
        "tools/unused_allowed.txt: millrace/none/ excuses nothing; take it off",
      ],
      self.problems({}, "Gone a reason\nmillrace/none/ another one\n"),
    )

  def test_a_name_without_a_reason_is_no_entry(self):
    with self.assertRaisesRegex(SystemExit, "unused_allowed.txt:1: Twice has no reason"):
      self.problems({}, "Twice\n")


if __name__ == "__main__":
  unittest.main()
