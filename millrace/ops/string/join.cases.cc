#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(StringJoin)(CaseList& c) {
  c.Ok({Str({"a", "b"}), Str({"c", ""})});
  c.Ok({Str({"a", "b"}), StrScalar("-"), Str({"c", "d"})},
       {{"separator", "/"}});
  c.Ok({StrScalar("x"), StrScalar("y")});
  c.Error({Str({"a", "b"}), Str({"c"})}, StatusCode::kInvalidArgument,
          "Input shapes do not match")
      .NoShapeCheck();
}

MR_CASES(ReduceJoin)(CaseList& c) {
  const Value ab = Str({2, 3}, {"a", "b", "c", "d", "", "f"});
  const Value cube =
      Str({2, 2, 2}, {"a", "b", "c", "d", "e", std::string("\0", 1), "g", "h"});
  c.Ok({ab, Scalar(0)});
  c.Ok({ab, Scalar(-1)}, {{"separator", ", "}});
  c.Ok({ab, Vec({1})}, {{"keep_dims", true}});
  c.Ok({ab, Vec({0, 1})}, {{"separator", "-"}});
  c.Ok({ab, Vec({1, 0})}, {{"separator", "-"}, {"keep_dims", true}});
  c.Ok({ab, Empty(DataType::kInt32, {0})}, {{"separator", "-"}});
  c.Ok({cube, Vec({0, 2})}, {{"separator", "."}});
  c.Ok({cube, Vec({2, 1})});
  c.Ok({cube, Vec({-3, 1, -1})}, {{"keep_dims", true}});
  c.Ok({Str({"only"}), Scalar(0)});
  c.Ok({StrScalar("s"), Empty(DataType::kInt32, {0})});
  c.Ok({Empty(DataType::kString, {0, 2}), Scalar(0)}, {{"separator", "-"}});
  c.Ok({Empty(DataType::kString, {2, 0}), Scalar(0)});
  c.Error({ab, Scalar(2)}, StatusCode::kOutOfRange,
          "Invalid reduction dimension 2 for input with 2 dimension(s)")
      .NoShapeCheck();
  c.Error({ab, Scalar(-3)}, StatusCode::kOutOfRange,
          "Invalid reduction dimension -3 for input with 2 dimension(s)")
      .NoShapeCheck();
  c.Error({ab, Vec({1, -1})}, StatusCode::kInvalidArgument,
          "Duplicate reduction dimension -1")
      .NoShapeCheck();
}

}  // namespace millrace::cases
