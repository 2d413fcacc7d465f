#include "millrace/ops/layout/pads.cases.h"

namespace millrace::cases {
namespace {

// Stock builds the graph only if it knows the ranks of the last two inputs.
Case& OkConst(CaseList& c, Value x, const Value& block, const Value& pads) {
  return c.Sequence("")
      .Node("block", "Const", {},
            {{"value", block.tensor}, {"dtype", block.tensor.dtype()}})
      .Node("pads", "Const", {},
            {{"value", pads.tensor}, {"dtype", pads.tensor.dtype()}})
      .Node("op", c.op().name, {std::move(x), "block", "pads"})
      .Run({"op"});
}

// Two rows of pads whose sum is beyond int64.
Value LargePads() {
  return Values<int64_t>({2, 2}, {INT64_MAX, INT64_MAX, 0, 0});
}

}  // namespace

MR_CASES(SpaceToBatch)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 4, 6, 3}), Pads({0, 0, 0, 0})}, {{"block_size", 2}});
    c.Ok({Rand(t, {1, 3, 5, 2}), Pads({1, 2, 0, 1})}, {{"block_size", 3}});
  });
  c.Ok({F64({1, 3, 4, 2}), Pads({1, 0, 0, 2})}, {{"block_size", 2}})
      .Gradient({0});
  c.Ok({F32({1, 4, 4, 2}), Of(DataType::kInt64, {2, 2}, {0, 0, 1, 1})},
       {{"block_size", 2}});
  c.Error({F32({1, 3, 4, 2}), Pads({0, 0, 0, 0})}, {{"block_size", 2}},
          StatusCode::kInvalidArgument, "is not divisible by");
  c.BuildError({F32({1, 4, 4, 2}), LargePads()}, {{"block_size", 2}},
               "Dimension size overflow from adding 4 and 9223372036854775807");
}
MR_CASES(SpaceToBatchND)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    OkConst(c, Rand(t, {2, 4, 6, 3}), Vec({2, 3}), Pads({0, 0, 0, 0}));
    OkConst(c, Rand(t, {1, 3, 5}), Vec({3}), Pads({1, 2}));
  });
  c.EachType("Tblock_shape", [](CaseList& c, DataType t) {
    OkConst(c, F32({1, 3, 5, 2, 2}), Vec(t, {2, 1, 3}),
            Of(DataType::kInt64, {3, 2}, {1, 0, 0, 0, 1, 0}));
  });
  c.Ok({F64({1, 3, 4, 2}), Vec({2, 2}), Pads({1, 0, 0, 2})})
      .NoStock("stock builds no graph of inputs of unknown rank")
      .Gradient({0});
  OkConst(c, F32({2, 3}), Empty(DataType::kInt32, {0}),
          Empty(DataType::kInt32, {0, 2}));
  OkConst(c, Empty(DataType::kFloat, {0, 4, 2}), Vec({2}), Pads({0, 0}));
  c.Error({F32({1, 3, 4}), Vec({2, 2}), Pads({-1, 0, 0, 2})},
          StatusCode::kInvalidArgument, "must be non-negative")
      .NoStock("stock builds no graph of inputs of unknown rank");
  c.Error({F32({1, 3, 4}), Vec({0, 2}), Pads({1, 0, 0, 2})},
          StatusCode::kInvalidArgument, "must be positive")
      .NoStock("stock builds no graph of inputs of unknown rank");
  c.BuildError({F32({1, 4, 4}), Vec({2, 2}), LargePads()}, {},
               "Dimension size overflow from adding 4 and 9223372036854775807");
  OkConst(c, F32({2, 3, 4}), Vec({1, 1}), Pads({0, 0, 0, 0}));
  OkConst(c, F32({2, 3, 4}), Vec({1, 1}), Pads({0, 0, 0, 1}));
}
MR_CASES(BatchToSpace)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {8, 2, 3, 3}), Pads({0, 0, 0, 0})}, {{"block_size", 2}});
    c.Ok({Rand(t, {9, 2, 2, 2}), Pads({1, 2, 0, 1})}, {{"block_size", 3}});
  });
  c.Ok({F64({4, 3, 2, 2}), Pads({1, 0, 0, 2})}, {{"block_size", 2}})
      .Gradient({0});
  c.Ok({F32({4, 4, 4, 2}), Of(DataType::kInt64, {2, 2}, {0, 0, 1, 1})},
       {{"block_size", 2}});
  c.Error({F32({3, 3, 4, 2}), Pads({0, 0, 0, 0})}, {{"block_size", 2}},
          StatusCode::kInvalidArgument, "is not divisible by product of block");
  c.BuildError({F32({4, 4, 4, 2}), LargePads()}, {{"block_size", 2}},
               "Negative dimension size caused by subtracting "
               "9223372036854775807 from 8");
}
MR_CASES(BatchToSpaceND)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    OkConst(c, Rand(t, {12, 2, 2, 3}), Vec({2, 3}), Pads({0, 0, 0, 0}));
    OkConst(c, Rand(t, {3, 2, 5}), Vec({3}), Pads({1, 2}));
  });
  c.Ok({F64({4, 3, 4, 2}), Vec({2, 2}), Pads({1, 0, 0, 2})})
      .NoStock("stock builds no graph of inputs of unknown rank")
      .Gradient({0});
  OkConst(c, F32({6, 3, 5, 2, 2}), Vec(DataType::kInt64, {2, 1, 3}),
          Of(DataType::kInt64, {3, 2}, {1, 0, 0, 0, 1, 0}));
  c.BuildError({F32({4, 4, 4}), Vec({2, 2}), LargePads()}, {},
               "Negative dimension size caused by subtracting "
               "9223372036854775807 from 8");
  c.Error({Empty(DataType::kFloat, {0, int64_t{1} << 59, 1}), Vec({16}),
           Pads({1, 0})},
          StatusCode::kInvalidArgument, "the output is too large")
      .NoShapeCheck()
      .NoStock("its client has no arrays of so many rows");
  OkConst(c, F32({2, 3, 4}), Vec({1, 1}), Pads({0, 0, 0, 0}));
  OkConst(c, F32({2, 3, 4}), Vec({1, 1}), Pads({0, 0, 0, 1}));
  OkConst(c, F32({2, 3}), Empty(DataType::kInt32, {0}),
          Empty(DataType::kInt32, {0, 2}));
}

}  // namespace millrace::cases
