#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

enum class Divisors { kNone, kUpdates };

// Rows named once and twice, a scalar for a whole row, vectors, no rows.
void Scatters(CaseList& c, const char* attr,
              Divisors divisors = Divisors::kNone) {
  const double low = divisors == Divisors::kUpdates ? 1 : -3;
  c.EachType(attr, [&](CaseList& c, DataType t) {
    c.Ok({Var(Rand(t, {5, 3})), Vec({1, 4, 1}), Rand(t, {3, 3}, low, 4)});
    c.Ok({Var(Rand(t, {6})), Of(DataType::kInt64, {2, 2}, {5, 0, 3, 3}),
          Rand(t, {2, 2}, low, 4)});
    c.Ok({Var(Rand(t, {4, 2})), Vec({2, 0}), Rand(t, {}, low, 4)});
  });
  c.Ok({Var(F32({5, 3})), I32({0}), F32({0, 3})});
  // Enough rows to be grouped by their locks.
  c.Ok({Var(F32({2000, 9})), Rand(DataType::kInt32, {700}, 0, 2000),
        Rand(kFloat, {700, 9}, low, 4)});
  c.Ok({Var(F32({5, 3})), Scalar(2), F32({3})});
  c.Error({Var(F32({5, 3})), Vec({1, 5}), F32({2, 3})},
          StatusCode::kInvalidArgument, "indices[1] = 5 is not in [0, 5)")
      .Name("a row that is not there");
  c.Error({Var(F32({5, 3})), Vec({1, -1}), F32({2, 3})},
          StatusCode::kInvalidArgument, "indices[1] = -1 is not in [0, 5)")
      .Name("a row that is not there");
  c.Error({Var(F32({5, 3})), Vec({1, 5}), F32({})},
          StatusCode::kInvalidArgument, "indices[1] = 5 is not in [0, 5)")
      .Name("a row that is not there");
  c.Error({Var(F32({5, 3})), Vec({1, 2}), F32({2, 3, 1})},
          StatusCode::kInvalidArgument, "updates.shape")
      .NoShapeCheck();
  Case& wider = c.Error({Var(F32({5, 3})), Vec({1, 2}), F32({2, 4})},
                        StatusCode::kInvalidArgument, "updates.shape");
  wider.NoShapeCheck();
  if (attr == absl::string_view("dtype")) {
    wider.Deviates(
        "stock does not compare the lengths of rows; ScatterUpdate's spill "
        "into the next one");
  }
}

}  // namespace

MR_CASES(ScatterUpdate)(CaseList& c) { Scatters(c, "T"); }
MR_CASES(ScatterAdd)(CaseList& c) { Scatters(c, "T"); }
MR_CASES(ScatterSub)(CaseList& c) { Scatters(c, "T"); }
MR_CASES(ScatterMul)(CaseList& c) { Scatters(c, "T"); }
MR_CASES(ScatterDiv)(CaseList& c) {
  Scatters(c, "T", Divisors::kUpdates);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Error({Var(Rand(t, {4})), Vec({2, 7}), Vec(t, {1, 0})},
            StatusCode::kInvalidArgument, "indices[1] = 7 is not in [0, 4)")
        .Name("a row that is not there");
    c.Ok({Var(Rand(t, {4})), I32({0}), Scalar(t, 0)});
    if (IsInteger(t)) {
      c.Error({Var(Rand(t, {4})), Vec({2, 1}), Vec(t, {1, 0})},
              StatusCode::kInvalidArgument, "Integer division by zero")
          .Name("a divisor of 0")
          .NoStock("stock divides, which ends its process");
      if (t == DataType::kInt32 || t == DataType::kInt64) {
        const double lowest = t == DataType::kInt32 ? -0x1p31 : -0x1p63;
        c.Ok({Var(Vec(t, {lowest})), Vec({0}), Vec(t, {-1})})
            .NoStock("stock divides, which ends its process");
      }
    } else {
      c.Ok({Var(Rand(t, {4})), Vec({2, 1}), Vec(t, {1, 0})});
    }
  });
}
MR_CASES(ScatterMin)(CaseList& c) { Scatters(c, "T"); }
MR_CASES(ScatterMax)(CaseList& c) { Scatters(c, "T"); }
MR_CASES(ResourceScatterUpdate)(CaseList& c) { Scatters(c, "dtype"); }
MR_CASES(ResourceScatterAdd)(CaseList& c) { Scatters(c, "dtype"); }
MR_CASES(ResourceScatterSub)(CaseList& c) { Scatters(c, "dtype"); }
MR_CASES(ResourceScatterMul)(CaseList& c) { Scatters(c, "dtype"); }
MR_CASES(ResourceScatterDiv)(CaseList& c) {
  Scatters(c, "dtype", Divisors::kUpdates);
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Error({Var(Rand(t, {4})), Vec({2, 7}), Vec(t, {1, 0})},
            StatusCode::kInvalidArgument, "updates must not contain 0")
        .Name("a divisor of 0");
    c.Error({Var(Rand(t, {4})), I32({0}), Scalar(t, 0)},
            StatusCode::kInvalidArgument, "updates must not contain 0")
        .Name("a divisor of 0");
  });
}
MR_CASES(ResourceScatterMin)(CaseList& c) { Scatters(c, "dtype"); }
MR_CASES(ResourceScatterMax)(CaseList& c) { Scatters(c, "dtype"); }

}  // namespace millrace::cases
