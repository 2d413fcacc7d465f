#include <cmath>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Hints(bool a_is_sparse, bool b_is_sparse) {
  return {{"a_is_sparse", a_is_sparse}, {"b_is_sparse", b_is_sparse}};
}

// A matrix of which one number in `every` is not 0.
Value MostlyZero(int64_t rows, int64_t cols, int64_t every) {
  Tensor m = Tensor::Zeros(kFloat, {rows, cols});
  auto to = m.mutable_flat<float>();
  for (int64_t i = 0; i < rows * cols; i += every) {
    to[i] = static_cast<float>(i % 13) / 4 - 1.3f;
  }
  return m;
}

}  // namespace

MR_CASES(SparseMatMul)(CaseList& c) {
  c.EachType("Ta", [](CaseList& c, DataType a) {
    c.EachType("Tb", [a](CaseList& c, DataType b) {
      for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
          c.Ok({ta ? Rand(a, {5, 3}) : Rand(a, {3, 5}),
                tb ? Rand(b, {4, 5}) : Rand(b, {5, 4})},
               {{"transpose_a", ta}, {"transpose_b", tb}});
          c.Ok({ta ? Rand(a, {5, 3}) : Rand(a, {3, 5}),
                tb ? Rand(b, {4, 5}) : Rand(b, {5, 4})},
               {{"transpose_a", ta},
                {"transpose_b", tb},
                {"a_is_sparse", ta},
                {"b_is_sparse", true}});
        }
      }
      c.Ok({Rand(a, {30, 70}, -1, 1), Rand(b, {70, 90}, -1, 1)},
           Hints(true, false))
          .Tolerance(1e-4);
      c.Ok({Empty(a, {0, 2}), Rand(b, {2, 3})});
      c.Ok({Empty(a, {2, 0}), Empty(b, {0, 3})});
      c.Ok({Rand(a, {3, 2}), Empty(b, {2, 0})});
    });
  });
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      c.Ok({MostlyZero(100, 300, 7), MostlyZero(300, 60, 9)}, Hints(a, b))
          .Tolerance(1e-4);
      c.Ok({MostlyZero(100, 300, 2), MostlyZero(300, 60, 2)}, Hints(a, b))
          .Tolerance(1e-4);
    }
  }
  // Zeros of the sparse operand are left out of products with what is not
  // finite.
  const double nan = std::nan("");
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      c.Ok({Of(kFloat, {1, 2}, {0, 1}), Of(kFloat, {2, 1}, {INFINITY, 2})},
           Hints(a, b));
      c.Ok({Of(kFloat, {1, 2}, {nan, 1}), Of(kFloat, {2, 1}, {0, 2})},
           Hints(a, b));
    }
  }
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      c.Ok({ta ? F32({3, 2}) : F32({2, 3}), tb ? F32({4, 3}) : F32({3, 4})},
           {{"transpose_a", ta}, {"transpose_b", tb}})
          .Gradient()
          .GradientTolerance(1e-2);
    }
  }
  c.Error({F32({3, 4}), F32({3, 5})}, kInvalid,
          "Matrix size incompatible: a: [3,4], b: [3,5]");
  c.Error({F32({4}), F32({4, 5})}, kInvalid, "a is not a matrix");
  c.Error({F32({3, 4}), F32({4})}, kInvalid, "b is not a matrix");
  c.BuildError({F32({3, 4}), F32({3, 5})}, {},
               "Dimensions must be equal, but are 4 and 3");
  c.BuildError({F32({4}), F32({4, 5})}, {},
               "Shape must be rank 2 but is rank 1");
}

}  // namespace millrace::cases
