#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Slice)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 5}), Vec({1, 2}), Vec({2, 3})});
    c.Ok({Rand(t, {4, 5}), Vec({1, 0}), Vec({-1, 1})});
  });
  c.Ok({F32({3, 4, 5}), Vec(DataType::kInt64, {1, 0, 2}),
        Vec(DataType::kInt64, {2, -1, 2})})
      .Gradient({0});
  c.Ok({F32({8, 16}), Vec({4, 0}), Vec({2, 16})});
  c.Ok({F32({4}), Vec({4}), Vec({-1})});
  c.Ok({F32({4}), Vec({0}), Vec({4})});
  c.Ok({F32({}), Empty(DataType::kInt32, {0}), Empty(DataType::kInt32, {0})});
  c.Ok({Empty(DataType::kFloat, {0, 4}), Vec({0, 0}), Vec({-1, 4})});
  c.Ok({F32({60, 50, 7}), Vec({2, 3, 1}), Vec({50, 40, 5})});
  const auto error = [&c](int begin, int size, const char* words) {
    c.Error({F32({4}), Vec({double(begin)}), Vec({double(size)})},
            StatusCode::kInvalidArgument, words);
  };
  error(5, 1, "Expected begin[0] in [0, 4], but got 5");
  error(-1, 1, "Expected begin[0] in [0, 4], but got -1");
  error(1, 4, "Expected size[0] in [0, 3], but got 4");
  error(1, -2, "Expected size[0] in [0, 3], but got -2");
  c.Error({Empty(DataType::kFloat, {0, 4}), Vec({1, 0}), Vec({0, 1})},
          StatusCode::kInvalidArgument,
          "Expected begin[0] == 0 (got 1) and size[0] == 0 (got 0) when "
          "input.dim_size(0) == 0");
  c.Error({F32({4}), Vec({1, 1}), Vec({1, 1})}, StatusCode::kInvalidArgument,
          "Expected begin and size arguments to be 1-D tensors of size 1, but "
          "got shapes [2] and "
          "[2] instead.");
  // Stock shares rows of 64 bytes, and slices of a vector that begin and end at
  // multiples of these.
  for (const int begin : {0, 8, 16, 32}) {
    for (const int size : {8, 16}) {
      c.Ok({F32({48}), Vec({double(begin)}), Vec({double(size)})});
      c.Ok({F32({48, 4}), Vec({double(begin), 0}), Vec({double(size), 4})});
    }
  }
  c.Ok({F32({40}), Vec({16}), Vec({24})});
  c.Ok({F32({3, 4, 4}), Vec({1, 0, 0}), Vec({1, 4, 4})});
  c.Ok({F32({3, 16}), Vec({1, 0}), Vec({2, 8})});
  c.Ok({F32({3, 5}), Vec({0, 0}), Vec({3, 5})});
  for (const DataType t :
       {DataType::kHalf, DataType::kDouble, DataType::kInt8, DataType::kBool,
        DataType::kString, DataType::kComplex128}) {
    for (const int columns : {4, 8, 32, 64}) {
      c.Ok({Rand(t, {3, columns}), Vec({1, 0}), Vec({2, double(columns)})});
    }
  }
}

}  // namespace millrace::cases
