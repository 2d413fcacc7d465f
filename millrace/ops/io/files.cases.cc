#include "tests/cases/case.h"

namespace millrace::cases {
// Files of a folder that every machine may write.
MR_CASES(WriteFile)(CaseList& c) {
  c.Sequence("and read")
      .Node("write", "WriteFile",
            {StrScalar("/tmp/millrace_cases/deep/a.txt"), StrScalar("text")})
      .Node("again", "WriteFile",
            {StrScalar("/tmp/millrace_cases/deep/b.txt"), StrScalar("")})
      .Node("read", "ReadFile", {StrScalar("/tmp/millrace_cases/deep/a.txt")})
      .Node("match", "MatchingFiles",
            {Str({"/tmp/millrace_cases/deep/b*",
                  "/tmp/millrace_cases/deep/?.txt"})})
      .Run({"write"})
      .Run({"again"})
      .Run({"read"})
      .Run({"match"});
  c.Error({Str({"/tmp/millrace_cases/x", "y"}), StrScalar("")}, kInvalid,
          "Input filename tensor must be scalar, but had shape: [2]")
      .NoShapeCheck();
}
MR_CASES(ReadFile)(CaseList& c) {
  c.Error({StrScalar("/tmp/millrace_cases/none")}, StatusCode::kNotFound,
          "/tmp/millrace_cases/none; No such file or directory");
}
MR_CASES(MatchingFiles)(CaseList& c) {
  c.Ok({StrScalar("/tmp/millrace_cases/deeper/*")});
  c.Ok({Empty(kString, {0})});
}

}  // namespace millrace::cases
