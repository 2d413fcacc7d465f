#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Transposes(CaseList& c) {
  // Short runs, more of them than are copied as one piece.
  for (const DataType t :
       {DataType::kUint8, DataType::kFloat, DataType::kDouble}) {
    for (int64_t n : {2, 3, 7, 8, 9}) {
      c.Ok({Rand(t, {40, 70, n}), Vec({1, 0, 2})});
      c.Ok({Rand(t, {60, n, 50}), Vec({0, 2, 1})});
      c.Ok({Rand(t, {20, 6, 30, n}), Vec({0, 2, 1, 3})});
      c.Ok({Rand(t, {20, 6, 30, n}), Vec({2, 1, 0, 3})});
    }
  }
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), Vec({1, 0})});
    c.Ok({Rand(t, {3, 20, 35}), Vec({2, 0, 1})});
    c.Ok({Rand(t, {2, 3, 4, 5}), Vec({0, 2, 1, 3})});
  });
  c.Ok({F32({100, 37}), Vec({1, 0})});
  c.Ok({F32({64, 64}), Vec({1, 0})});
  c.Ok({F32({130, 67}), Vec({1, 0})});
  c.Ok({F32({3, 70, 5}), Vec({0, 2, 1})});
  c.Ok({F32({5, 6, 70, 7}), Vec({3, 1, 2, 0})});
  c.Ok({F32({2, 3, 2, 3, 2, 3}), Vec({5, 3, 1, 0, 2, 4})});
  c.Ok({F32({2, 3, 4}), Vec({0, 1, 2})});
  c.Ok({F32({1, 3, 1, 4}), Vec({2, 1, 0, 3})});
  c.Ok({F32({1, 3, 1, 4}), Vec({3, 2, 1, 0})});
  c.Ok({F32({2, 3}), Vec(DataType::kInt64, {1, 0})}).Gradient({0});
  c.Ok({F32({4}), Vec({0})});
  c.Ok({Empty(DataType::kFloat, {0, 3}), Vec({1, 0})});
  const auto error = [&c](Value perm, const char* words) {
    c.Error({F32({2, 3}), std::move(perm)}, StatusCode::kInvalidArgument,
            words);
  };
  error(Vec({0}),
        "transpose expects a vector of size 2. But input(1) is a vector of "
        "size 1");
  error(Vec({0, 2}), "2 is out of range [0 .. 2)");
  error(Vec({0, 0}), "1 is missing from {0,0}.");
  c.BuildError({F32({2, 3}), Vec({0, 2})}, {},
               "perm dim 2 is out of range of input rank 2");
  c.BuildError({F32({2, 3}), Vec({0})}, {}, "Dimension must be 2 but is 1");
}

}  // namespace

MR_CASES(Transpose)(CaseList& c) {
  Transposes(c);
  c.Ok({F32({}), Empty(DataType::kInt32, {0})});
}
MR_CASES(ConjugateTranspose)(CaseList& c) {
  Transposes(c);
  c.Ok({F32({}), Empty(DataType::kInt32, {0})}).NoStock("aborts on a scalar");
}

MR_CASES(InvertPermutation)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Vec(t, {3, 0, 2, 1, 4})});
  });
  c.Ok({Empty(DataType::kInt32, {0})});
  c.Error({Vec({0, 3})}, StatusCode::kInvalidArgument,
          "3 is not between 0 and 2");
  c.Error({Vec({-1, 0})}, StatusCode::kInvalidArgument,
          "-1 is not between 0 and 2");
  c.Error({Vec({0, 0})}, StatusCode::kInvalidArgument,
          "0 is duplicated in the input.");
}

}  // namespace millrace::cases
