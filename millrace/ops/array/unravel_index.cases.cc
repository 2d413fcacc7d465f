#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(UnravelIndex)(CaseList& c) {
  c.EachType("Tidx", [](CaseList& c, DataType t) {
    c.Ok({Vec(t, {22, 41, 37}), Vec(t, {7, 6})});
    c.Ok({Scalar(t, 101), Vec(t, {4, 5, 6})});
    c.Ok({Vec(t, {-1, -7, 3}), Vec(t, {3, 4})});
    c.Ok({Scalar(t, 4), Vec(t, {7})});
    c.Ok({Vec(t, {0}), Empty(t, {0})});
    const auto error = [&](Value indices, Value dims, const char* words) {
      c.Error({std::move(indices), std::move(dims)},
              StatusCode::kInvalidArgument, words)
          .NoShapeCheck();
    };
    error(Vec(t, {42}), Vec(t, {7, 6}), "index is out of bound as with dims");
    error(Of(t, {1, 1}, {1}), Vec(t, {7, 6}),
          "The indices can only be scalar or vector, got \"[1,1]\"");
    error(Empty(t, {0}), Vec(t, {7, 6}), "received empty tensor indices: ");
    error(Vec(t, {1}), Scalar(t, 7), "The indices can only be 1-D, got \"[]\"");
    error(Vec(t, {0}), Vec(t, {7, 0}),
          "Input dims cannot contain a dim of zero, but dims contains zero at "
          "index 1");
    error(Vec(t, {0}), Vec(t, {7, -2}),
          "Input dims cannot be negative. Got dim = -2 at index 1");
  });
  c.Error({Vec({5}), Vec({65536, 65536})}, StatusCode::kInvalidArgument,
          "Input dims product is causing integer overflow: (65536 65536)");
  const DataType wide = DataType::kInt64;
  c.Error({Vec(wide, {5}), Vec(wide, {8589934592, 8589934592})},
          StatusCode::kInvalidArgument,
          "Input dims product is causing integer overflow: (8589934592 "
          "8589934592)");
  c.Ok({Vec(wide, {5e12}), Vec(wide, {8589934592, 1024})});
  c.BuildError({Vec({1}), Scalar(7)}, {}, "Shape must be rank 1 but is rank 0");
}

}  // namespace millrace::cases
