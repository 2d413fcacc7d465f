#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// Seeded, so the numbers are stock's.
void Seeded(CaseList& c, DataType t) {
  for (DataType index : {DataType::kInt32, DataType::kInt64}) {
    for (int seed : {1, 42}) {
      c.Ok({Vec(index, {3, 7})},
           {{"dtype", t}, {"seed", seed}, {"seed2", seed - 1}});
    }
  }
  c.Ok({Vec({0, 7})}, {{"dtype", t}, {"seed", 3}});
  c.Ok({Vec({1001})}, {{"dtype", t}, {"seed", 87654321}, {"seed2", 5}});
  c.Sequence("goes_on")
      .Node("op", c.op().name, {Vec({5})}, {{"dtype", t}, {"seed", 9}})
      .Run({"op"})
      .Run({"op"});
}

// Shapes that are no vectors, with the inputs `more` behind them.
void NoVector(CaseList& c, std::vector<Value> more) {
  const AttrMap attrs = {{"dtype", DataType::kFloat}, {"seed", 1}};
  const AttrMap of_ints = {{"seed", 1}};
  for (const bool is_scalar : {true, false}) {
    std::vector<Value> inputs = {is_scalar ? Scalar(3)
                                           : Of(DataType::kInt32, {1, 1}, {3})};
    inputs.insert(inputs.end(), more.begin(), more.end());
    c.Error(std::move(inputs), more.empty() ? attrs : of_ints,
            StatusCode::kInvalidArgument,
            is_scalar
                ? "shape must be a vector of {int32,int64}, got shape []"
                : "shape must be a vector of {int32,int64}, got shape [1,1]")
        .NoShapeCheck();
  }
}

}  // namespace

MR_CASES(RandomUniform)(CaseList& c) {
  c.EachType("dtype", Seeded);
  NoVector(c, {});
  c.Ok({Vec({2, 3})}, {{"dtype", DataType::kFloat}}).Random();
  c.Error({Vec({2, -3})}, {{"dtype", DataType::kFloat}, {"seed", 1}},
          StatusCode::kInvalidArgument, "must be >= 0")
      .NoShapeCheck();
}
MR_CASES(RandomStandardNormal)(CaseList& c) {
  c.EachType("dtype", Seeded);
  NoVector(c, {});
}
MR_CASES(TruncatedNormal)(CaseList& c) {
  c.EachType("dtype", Seeded);
  NoVector(c, {});
}

MR_CASES(RandomUniformInt)(CaseList& c) {
  c.EachType("Tout", [](CaseList& c, DataType t) {
    c.Ok({Vec({3, 7}), Scalar(t, -5), Scalar(t, 1000)}, {{"seed", 7}});
    c.Ok({Vec(DataType::kInt64, {101}), Scalar(t, 0), Scalar(t, 3)},
         {{"seed", 7}, {"seed2", 1}});
    c.Error({Vec({3}), Scalar(t, 5), Scalar(t, 5)}, {{"seed", 7}},
            StatusCode::kInvalidArgument, "Need minval < maxval, got 5 >= 5");
  });
  NoVector(c, {Scalar(0), Scalar(9)});
}

MR_CASES(RandomShuffle)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    if (t == DataType::kResource || t == DataType::kVariant) return;
    c.Ok({Rand(t, {9})}, {{"seed", 7}});
    c.Ok({Rand(t, {5, 3})}, {{"seed", 7}, {"seed2", 2}});
    c.Ok({Rand(t, {})}, {{"seed", 7}});
  });
  c.Ok({F32({1, 3})}, {{"seed", 7}});
}

}  // namespace millrace::cases
