#include "millrace/ops/ragged/ragged.cases.h"

namespace millrace::cases {
namespace {

using namespace ragged;

AttrMap Levels(int64_t out) { return {{"OUTPUT_RAGGED_RANK", out}}; }

}  // namespace

MR_CASES(RaggedGather)(CaseList& c) {
  c.EachType("Tvalues", [](CaseList& c, DataType t) {
    c.Ok({Splits({0, 2, 2, 5}), Rand(t, {5}), Vec(kI, {2, 0, 1, 2})},
         Levels(1));
    c.Ok({Splits({0, 2, 3}), Splits({0, 2, 2, 5}), Rand(t, {5, 2}),
          Vec({1, 0, 1})},
         Levels(2));
  });
  for (const DataType splits : {DataType::kInt32, kI}) {
    for (const DataType index : {DataType::kInt32, kI}) {
      c.Ok({Splits({0, 2, 2, 5}, splits), F32({5}),
            Of(index, {2, 3}, {2, 0, 1, 1, 2, 2})},
           Levels(2));
      c.Ok({Splits({0, 2, 2, 5}, splits), F32({5}), Scalar(index, 2)},
           Levels(0));
    }
  }
  const Value inner = Splits({0, 2, 2, 5});
  c.Ok({Splits({0, 2, 3}), inner, F32({5}), Scalar(kI, 0)}, Levels(1));
  c.Ok({Splits({0, 2, 3}), inner, F32({5}), Of(kI, {2, 1, 2}, {1, 0, 0, 1})},
       Levels(4));
  // Splits that do not begin with 0 or do not reach the end.
  c.Ok({Splits({1, 2, 2, 4}), F32({5}), Vec(kI, {2, 0})}, Levels(1));
  c.Ok({inner, F32({5}), Empty(kI, {0})}, Levels(1));
  c.Ok({inner, F32({5}), Empty(kI, {0, 3})}, Levels(2));
  c.Ok({inner, F32({5}), Empty(kI, {2, 0})}, Levels(2));
  c.Ok({Splits({0}), Empty(kFloat, {0}), Empty(kI, {0})}, Levels(1));
  c.Ok({inner, Empty(kFloat, {5, 0}), Vec(kI, {2, 0})}, Levels(1));
  c.Ok({Splits({0, 200, 700, 1000}), F32({1000, 30}), Rand(kI, {500}, 0, 3)},
       Levels(1));
  c.Ok({inner, F64({5}), Vec(kI, {2, 0, 2})}, Levels(1)).Gradient({1});
  c.Ok({Splits({0, 2, 3}), inner, F64({5, 2}), Of(kI, {2, 2}, {1, 0, 1, 1})},
       Levels(3))
      .Gradient({2});

  const auto error = [&c](Value splits, Value values, Value indices,
                          const char* words) {
    c.Error({std::move(splits), std::move(values), std::move(indices)},
            Levels(1), kInvalid, words);
  };
  error(inner, F32({5}), Vec(kI, {0, 3}), "indices[1] = 3 is not in [0, 3)");
  error(inner, F32({5}), Vec(kI, {-1}), "indices[0] = -1 is not in [0, 3)");
  error(Splits({0, 2, 1, 5}), F32({5}), Vec(kI, {1}),
        "Ragged splits must be sorted");
  error(inner, F32({4}), Vec(kI, {2}),
        "Ragged splits must not point past values");
  error(Empty(kI, {0}), F32({4}), Empty(kI, {0}),
        "Ragged splits may not be empty");
  error(Splits({-1, 2}), F32({4}), Vec(kI, {0}), "Ragged splits must be");
  c.Error({Splits({0, 2, 7}), inner, F32({5}), Vec(kI, {1})}, Levels(2),
          kInvalid, "Ragged splits must not point past values");
  c.Error({inner, F32({5}), Scalar(kI, 1)}, Levels(1), kInvalid,
          "OUTPUT_RAGGED_RANK must be 0")
      .NoStock("stock ends the process");
  c.BuildError({inner, F32({5}), Vec(kI, {2, 0})}, Levels(2),
               "Shape must be rank 2 but is rank 1");
  c.BuildError({inner, F32({5}), Vec(kI, {2, 0})}, Levels(0),
               "Shape must be rank 0 but is rank 1");
  c.BuildError({Of(kI, {1, 2}, {0, 2}), F32({2}), Vec(kI, {0})}, Levels(1),
               "Shape must be rank 1 but is rank 2");
  c.BuildError({Splits({0, 2}), F32({}), Vec(kI, {0})}, Levels(1),
               "Shape must be at least rank 1 but is rank 0");
}

}  // namespace millrace::cases
