#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// The numbers of a variable that has its buffer alone: stock writes the new
// state of another one into what shares its buffer.
Case& FromOwnState(CaseList& c, const char* name, Value shape, Value counts,
                   Value probs, DataType t) {
  const AttrMap state = {
      {"dtype", kInt64},
      {"shape", PartialShape({3})},
      {"shared_name", absl::StrCat(name, " ", DataTypeName(t), " ",
                                   DataTypeName(counts.tensor.dtype()))}};
  return c.Sequence(name)
      .Node("v", "VarHandleOp", {}, state)
      .Node("init", "AssignVariableOp",
            {"v", Values<int64_t>({-70000, 41, 0x123456789abcdef})})
      .Node("own", "RngSkip", {"v", Scalar(kInt64, 1), Scalar(kInt64, 0)})
      .Node("op", "StatefulRandomBinomial",
            {"v", Scalar(kInt64, 1), std::move(shape), std::move(counts),
             std::move(probs)},
            {{"dtype", t}})
      .Node("read", "ReadVariableOp", {"v"}, {{"dtype", kInt64}})
      .Run({"init"})
      .Run({"own"})
      .Run({"op"})
      .Run({"op"})
      .Run({"read"});
}

void Fails(CaseList& c, Value algorithm, Value shape, Value counts, Value probs,
           const char* words) {
  c.Error({Var(Vec(kInt64, {1, 2, 3})), std::move(algorithm), std::move(shape),
           std::move(counts), std::move(probs)},
          kInvalid, words)
      .NoShapeCheck();
}

}  // namespace

MR_CASES(StatefulRandomBinomial)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    FromOwnState(c, "few and many", Vec({40, 3}), Vec(kDouble, {20, 200, 30}),
                 Vec(kDouble, {0.3, 0.5, 0.8}), t);
    FromOwnState(c, "broadcast", Vec({5, 2, 3}),
                 Of(kDouble, {2, 1}, {20, 1000}),
                 Vec(kDouble, {0.001, 0.5, 0.98}), t);
  });
  c.EachType("T", [](CaseList& c, DataType t) {
    FromOwnState(c, "parameters", Vec({31}), Scalar(t, 25), Scalar(t, 0.25),
                 t == DataType::kHalf ? DataType::kInt32 : kInt64);
  });
  FromOwnState(c, "certain", Vec({2, 6}), Vec(kDouble, {0, -1, 10, 10, 10, 10}),
               Vec(kDouble, {0.5, 0.5, 0, 1, -0.1, 1.5}), kInt64);
  FromOwnState(c, "beyond int32", Vec({3}), Scalar(kDouble, 1e10),
               Scalar(kDouble, 0.5), DataType::kInt32);
  FromOwnState(c, "one number", Empty(DataType::kInt32, {0}),
               Scalar(kDouble, 20), Scalar(kDouble, 0.3), kInt64);
  FromOwnState(c, "no samples", Vec({0, 2}), Vec(kDouble, {1, 2}),
               Scalar(kDouble, 0.3), kInt64);
  FromOwnState(c, "no distributions", Vec({4, 0}), Empty(kDouble, {0}),
               Scalar(kDouble, 0.3), kInt64);
  c.Ok({Var(Vec(kInt64, {1, 2, 3})), Scalar(kInt64, 1), Vec(kInt64, {5}),
        Scalar(kDouble, 20), Scalar(kDouble, 0.3)})
      .NoStock("stock aborts at shapes of int64");
  c.Ok({Var(Vec(kInt64, {1, 2, 3})), Scalar(kInt64, 1), Vec({2}),
        Vec(kDouble, {std::numeric_limits<double>::quiet_NaN(), 7}),
        Vec(kDouble, {0.5, std::numeric_limits<double>::quiet_NaN()})},
       {{"dtype", kDouble}})
      .NoStock("stock never ends where a parameter is NaN");
  const Value one = Scalar(kInt64, 1), n = Scalar(kDouble, 9),
              p = Scalar(kDouble, 0.5);
  Fails(c, Scalar(kInt64, 3), Vec({2}), n, p, "Unsupported algorithm id: 3");
  Fails(c, Vec(kInt64, {1}), Vec({2}), n, p,
        "algorithm must be of shape [], not [1]");
  Fails(c, one, Scalar(2), n, p,
        "Input shape should be a vector, got shape: []");
  Fails(c, one, Vec({-2}), n, p, "must be >= 0");
  Fails(c, one, Vec({3}), Vec(kDouble, {1, 2}), Vec(kDouble, {0.1, 0.2, 0.3}),
        "counts and probs must have compatible batch dimensions: [2] vs. [3]");
  Fails(c, one, Vec({2, 3}), Vec(kDouble, {1, 2}), p,
        "Shape passed in must end with broadcasted shape.");
  Fails(c, one, Empty(DataType::kInt32, {0}), Vec(kDouble, {1, 2}), p,
        "Shape passed in must end with broadcasted shape.");
  c.Error({Var(Vec(kInt64, {1, 2})), one, Vec({2}), n, p}, kInvalid,
          "For Philox algorithm, the size of state must be at least 3; got 2");
}

}  // namespace millrace::cases
