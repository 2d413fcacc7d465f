#include "tests/cases/case.h"

using namespace millrace::cases;

MR_CASES(StringJoin)(CaseList& c) {
  c.Ok({Str({"a", "b"}), Str({"c", ""})});
  c.Ok({Str({"a", "b"}), StrScalar("-"), Str({"c", "d"})},
       {{"separator", "/"}});
  c.Ok({StrScalar("x"), StrScalar("y")});
  c.Error({Str({"a", "b"}), Str({"c"})}, StatusCode::kInvalidArgument,
          "Input shapes do not match")
      .NoShapeCheck();
}

MR_CASES(StaticRegexFullMatch)(CaseList& c) {
  c.Ok({Str({"s3://bucket/a", "/tmp/a", ""})}, {{"pattern", "^s3://.*"}});
  c.Ok({StrScalar("aaa")}, {{"pattern", "a{2,3}"}});
}

MR_CASES(RegexFullMatch)(CaseList& c) {
  c.Ok({Str({"abc", "abd"}), StrScalar("ab[c]")});
  c.Error({Str({"abc"}), StrScalar("a[")}, StatusCode::kInvalidArgument,
          "Invalid pattern");
}
