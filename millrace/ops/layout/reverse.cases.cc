#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(ReverseV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 2}), Vec({1})});
    c.Ok({Rand(t, {2, 3, 2}), Vec({-1, 0})});
  });
  c.Ok({F32({3, 4}), Vec(DataType::kInt64, {0, 1})}).Gradient({0});
  c.Ok({F32({3, 4}), Empty(DataType::kInt32, {0})});
  c.Ok({F32({}), Empty(DataType::kInt32, {0})});
  c.Ok({F32({50, 40, 3}), Vec({1})});
  c.Ok({F32({5000}), Vec({0})});
  c.Error({F32({4}), Vec({1})}, StatusCode::kInvalidArgument,
          "'axis'[0] = 1 is out of valid range [0, 0");
  c.Error({F32({4}), Vec({0, -1})}, StatusCode::kInvalidArgument,
          "axis 0 specified more than once.");
  c.BuildError({F32({4}), Vec({0, -1})}, {},
               "axis 0 specified more than once.");
  c.Ok({F32({1, 3}), Vec({0})});
}

MR_CASES(Reverse)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3, 2}), Vec(DataType::kBool, {1, 0, 1})});
  });
  c.Ok({F32({2, 3}), Vec(DataType::kBool, {0, 1})}).Gradient({0});
  c.Ok({F32({2, 3}), Vec(DataType::kBool, {0, 0})});
  c.Error({F32({4}), Vec(DataType::kBool, {1, 0})},
          StatusCode::kInvalidArgument,
          "'dims' must have the same number of values as 'input' has "
          "dimensions. 'input' has 1'dims' "
          "has 2 values");
  c.Ok({F32({}), Empty(DataType::kBool, {0})});
}

MR_CASES(ReverseSequence)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Vec({2, 3})}, {{"seq_dim", 1}});
    c.Ok({Rand(t, {3, 2, 2}), Vec(DataType::kInt64, {0, 3})},
         {{"seq_dim", 0}, {"batch_dim", 1}});
  });
  c.Ok({F32({2, 4, 3}), Vec({1, 4})}, {{"seq_dim", 1}}).Gradient({0});
  c.Ok({F32({2, 3, 4, 5}), Vec({1, 4, 0})}, {{"seq_dim", 2}, {"batch_dim", 1}});
  const auto error = [&c](std::initializer_list<double> lengths, AttrMap attrs,
                          const char* words) {
    return &c.Error({F32({2, 3}), Vec(lengths)}, std::move(attrs),
                    StatusCode::kInvalidArgument, words);
  };
  error({1, 1, 1}, {{"seq_dim", 1}},
        "Length of seq_lengths != input.dims(0), (3 vs. 2)");
  error({1, 4}, {{"seq_dim", 1}}, "seq_lens(1) > input.dims(1)")
      ->Name("lengths that the host does not see");
  error({1, -1}, {{"seq_dim", 1}}, "seq_lens(1) < 0")
      ->Name("lengths that the host does not see");
  error({1, 1}, {{"seq_dim", 0}}, "batch_dim == seq_dim == 0");
  c.BuildError({F32({2, 3}), Vec({1, 1})}, {{"seq_dim", 2}},
               "seq_dim must be < input rank: 2 vs. 2");
}

}  // namespace millrace::cases
