#include "tests/cases/case.h"

namespace millrace::cases {
MR_CASES(StringSplit)(CaseList& c) {
  const Value text = Str({"hello world", "", " a  b ", "a,b c"});
  for (const bool skip : {true, false}) {
    c.Ok({text, StrScalar(" ")}, {{"skip_empty", skip}});
    c.Ok({text, StrScalar(", ")}, {{"skip_empty", skip}});
    c.Ok({text, StrScalar("")}, {{"skip_empty", skip}});
  }
  c.Ok({Str({std::string("a\0b", 3), "\xc3\xa9"}), StrScalar("\xc3")});
  c.Ok({Empty(kString, {0}), StrScalar(" ")});
  c.Error({StrScalar("a b"), StrScalar(" ")}, kInvalid,
          "input must be a vector, got shape: []")
      .NoShapeCheck();
  c.Error({text, Str({" "})}, kInvalid,
          "delimiter must be a scalar, got shape: [1]")
      .NoShapeCheck();
}

MR_CASES(StringSplitV2)(CaseList& c) {
  const Value text = Str({"1<><>2<>3", "", "<>", "no", "<><"});
  const Value spaced = Str({"  a  b\tc ", "", " ", "one", "x\n\vy "});
  for (const int max : {-1, 0, 1, 2, 5, -7}) {
    c.Ok({text, StrScalar("<>")}, {{"maxsplit", max}});
    c.Ok({spaced, StrScalar("")}, {{"maxsplit", max}});
  }
  c.Ok({text, StrScalar("<")});
  c.Ok({Empty(kString, {0}), StrScalar("")});
  c.Error({Str({1, 1}, {"a"}), StrScalar("")}, kInvalid,
          "input must be a vector, got shape: [1,1]")
      .NoShapeCheck();
  c.Error({text, Str({"a"})}, kInvalid, "sep must be a scalar, got shape: [1]")
      .NoShapeCheck();
}

}  // namespace millrace::cases
