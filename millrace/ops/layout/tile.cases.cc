#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Tile)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    Case& k = c.Ok({Rand(t, {2, 3}), Vec({3, 2})});
    if (IsQuantized(t) || t == DataType::kUint16)
      k.NoStock("has no code for this type");
  });
  c.Ok({F32({2, 3}), Vec({2, 2})}).Gradient({0});
  c.Ok({F32({3, 1, 4}), Vec(DataType::kInt64, {1, 5, 2})});
  c.Ok({F32({}), Empty(DataType::kInt32, {0})});
  c.Ok({F32({2, 3}), Vec({1, 1})});
  c.Ok({F32({2}), Vec({0})});
  c.Ok({F32({1}), Vec({5000})});
  c.Ok({F32({70, 33}), Vec({3, 4})});
  c.Error({F32({2}), Vec({1, 2})}, StatusCode::kInvalidArgument,
          "Expected multiples argument to be a vector of length 1 but got "
          "length 2");
  c.BuildError({F32({2}), Vec({1, 2})}, {},
               "Shape must be rank 1 but is rank 2");
  c.Error({F32({2}), Vec({-1})}, StatusCode::kInvalidArgument,
          "Expected multiples[0] >= 0, but got -1");
  c.Error({F32({2}), Vec(DataType::kInt64, {4611686018427387904.0})},
          StatusCode::kInvalidArgument, "Expected a non-negative size, got");
  c.Error({F32({2}), Vec(DataType::kInt64, {4398046511104.0})},
          StatusCode::kResourceExhausted,
          "OOM when allocating tensor with shape[8796093022208]");
}

MR_CASES(TileGrad)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 3}), Vec({2, 1})}).NoStock("deprecated since GraphDef 3");
  });
  // Dimensions that are kept and summed in turn.
  c.Ok({F32({4, 9, 4, 6, 4, 3}), Vec({2, 3, 2, 2, 2, 3})})
      .NoStock("deprecated since GraphDef 3");
  c.Ok({F32({4, 9, 4, 6, 4}), Vec({2, 3, 2, 2, 2})})
      .NoStock("deprecated since GraphDef 3");
}

MR_CASES(BroadcastTo)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 1}), Vec({3, 2, 4})});
  });
  c.Ok({F32({2, 1}), Vec({2, 3})}).Gradient({0});
  c.Ok({F32({}), Vec(DataType::kInt64, {2, 3})});
  c.Ok({F32({3}), Vec({3})});
  c.Ok({F32({1}), Vec({0})});
  c.Ok({Empty(DataType::kFloat, {0}), Vec({3, 0})});
  c.Ok({F32({1, 60}), Vec({50, 60})});
  c.Error({F32({2}), Vec({3})}, StatusCode::kInvalidArgument,
          "Incompatible shapes: [2] vs. [3]");
  c.Error({Empty(DataType::kFloat, {0}), Vec({3})},
          StatusCode::kInvalidArgument, "Incompatible shapes: [0] vs. [3]");
  c.Error(
      {F32({2, 2}), Vec({2})}, StatusCode::kInvalidArgument,
      "Rank of input (2) must be no greater than rank of output shape (1).");
  c.Error({F32({2}), Vec({-1, 2})}, StatusCode::kInvalidArgument,
          "Dimension -1 must be >= 0");
  c.Ok({F32({2, 3}), Vec({1, 2, 3})});
}

}  // namespace millrace::cases
