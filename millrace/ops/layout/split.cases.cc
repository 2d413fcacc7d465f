#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Split)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Scalar(0), Rand(t, {4, 3})}, {{"num_split", 2}});
    c.Ok({Scalar(1), Rand(t, {4, 6})}, {{"num_split", 3}});
    c.Ok({Scalar(1), Rand(t, {700, 33})}, {{"num_split", 3}});
  });
  c.Ok({Scalar(-1), F32({2, 4})}, {{"num_split", 2}}).Gradient({1});
  c.Ok({Scalar(0), F32({64, 40})}, {{"num_split", 4}});
  c.Ok({Scalar(1), F32({100, 60})}, {{"num_split", 3}});
  c.Ok({Scalar(0), F32({3})}, {{"num_split", 1}}).Gradient({1});
  c.Ok({Scalar(0), Empty(DataType::kFloat, {0})}, {{"num_split", 2}});
  const auto error = [&c](int dim, Value x, const char* words) {
    c.Error({Scalar(dim), std::move(x)}, {{"num_split", 2}},
            StatusCode::kInvalidArgument, words);
  };
  error(2, F32({4}),
        "-input rank(-1) <= split_dim < input rank (1), but got 2");
  error(-2, F32({4}),
        "-input rank(-1) <= split_dim < input rank (1), but got -2");
  error(0, F32({5}),
        "Number of ways to split should evenly divide the split dimension, but "
        "got split_dim 0 "
        "(size = 5) and num_split 2");
  // Stock shares rows of 64 bytes, but not parts of vectors.
  c.Ok({Scalar(0), F32({4, 16})}, {{"num_split", 2}});
  c.Ok({Scalar(-2), F32({4, 16})}, {{"num_split", 4}});
  c.Ok({Scalar(0), F32({4, 8})}, {{"num_split", 2}});
  c.Ok({Scalar(0), F32({4, 4, 4})}, {{"num_split", 2}});
  c.Ok({Scalar(0), F32({32})}, {{"num_split", 2}});
  c.Ok({Scalar(1), F32({1, 32})}, {{"num_split", 2}});
  c.Ok({Scalar(1), F32({3, 5})}, {{"num_split", 1}});
  c.Ok({Scalar(0), Rand(DataType::kString, {4, 8})}, {{"num_split", 2}});
}

MR_CASES(SplitV)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {5, 2}), Vec({1, 0, 4}), Scalar(0)}, {{"num_split", 3}});
    c.Ok({Rand(t, {700, 12}), Vec({1, 0, 9, 2}), Scalar(1)},
         {{"num_split", 4}});
    c.Ok({Rand(t, {2, 5}), Vec(DataType::kInt64, {2, 3}), Scalar(1)},
         {{"num_split", 2}});
  });
  c.Ok({F32({2, 5}), Vec({-1, 2}), Scalar(-1)}, {{"num_split", 2}})
      .Gradient({0});
  c.Ok({F32({5}), Vec(DataType::kInt8, {3, 2}), Scalar(0)}, {{"num_split", 2}})
      .NoStock("its shape function aborts on int8 sizes");
  c.Ok({F32({5}), Vec({5}), Scalar(0)}, {{"num_split", 1}}).Gradient({0});
  c.Ok({F32({64, 32}), Vec({16, 48}), Scalar(0)}, {{"num_split", 2}});
  const auto error = [&c](std::initializer_list<double> sizes,
                          const char* words) {
    c.Error({F32({5}), Vec(sizes), Scalar(0)},
            {{"num_split", static_cast<int>(sizes.size())}},
            StatusCode::kInvalidArgument, words);
  };
  error({2, 2},
        "Determined shape must either match input shape along split_dim "
        "exactly if");
  error({-1, -1}, "There can only be one -1 in the input.");
  error({-1, 6},
        "Determined shape must either match input shape along split_dim "
        "exactly if");
  error({-2, 7}, "Split size at index 0 must be >= 0. Got: -2");
  error({4},
        "If there is only one output, it must have the same size as the input. "
        "Input size: 5");
  c.Error({F32({5}), Vec({2, 2, 1}), Scalar(0)}, {{"num_split", 2}},
          StatusCode::kInvalidArgument,
          "size of the split_tensor must be 1-D and have the same elements as "
          "outputs got 1 -D and "
          "3 elements");
  c.Error({F32({5}), Vec({2, 3}), Scalar(1)}, {{"num_split", 2}},
          StatusCode::kInvalidArgument,
          "-input rank(-1) <= split_dim < input rank (1), but got 1");
  c.BuildError({F32({5}), Vec({2, 2}), Scalar(0)}, {{"num_split", 2}},
               "can't split axis of size 5 into pieces of size [2,2]");
  // Stock shares rows of 64 bytes, and all parts of a vector or none.
  c.Ok({F32({4, 16}), Vec({1, 3}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({4, 16}), Vec({0, 4}), Scalar(-2)}, {{"num_split", 2}});
  c.Ok({F32({4, 8}), Vec({2, 2}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({4, 16}), Vec({8, 8}), Scalar(1)}, {{"num_split", 2}});
  c.Ok({F32({1, 32}), Vec({16, 16}), Scalar(1)}, {{"num_split", 2}});
  c.Ok({F32({48}), Vec({16, 32}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({48}), Vec({16, -1}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({48}), Vec({0, 48}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({48}), Vec({16, 8, 24}), Scalar(0)}, {{"num_split", 3}});
  c.Ok({F32({40}), Vec({16, 24}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({40}), Vec({24, 16}), Scalar(0)}, {{"num_split", 2}});
  c.Ok({F32({3, 5}), Vec({5}), Scalar(1)}, {{"num_split", 1}});
}

}  // namespace millrace::cases
