#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

void Arg(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {4, 50}), Scalar(1)});
    c.Ok({Rand(t, {4, 50}), Scalar(0)});
  });
  c.EachType("output_type", [](CaseList& c, DataType t) {
    c.Ok({F32({4, 50}), Scalar(-1)}, {{"output_type", t}});
  });
  c.Ok({F32({5}), Scalar(DataType::kInt64, 0)});
  c.Ok({F32({3, 4, 300}), Scalar(1)});
  c.Ok({F32({2000, 10}), Scalar(1)});
  // Rows side by side, of one block and of several, with equal elements.
  for (const DataType t :
       {DataType::kHalf, kFloat, DataType::kInt64, DataType::kUint8}) {
    c.Ok({Rand(t, {300, 10}, 0, 9), Scalar(1)});
    c.Ok({Rand(t, {9, 31}, 0, 9), Scalar(1)});
    c.Ok({Rand(t, {9, 32}, 0, 9), Scalar(1)});
    c.Ok({Rand(t, {7, 257}, 0, 100), Scalar(1)});
    c.Ok({Rand(t, {3, 9001}, 0, 100), Scalar(1)});
  }
  // Lines that are cut, with equal elements in several slices.
  c.Ok({I32({2, 9000}), Scalar(1)});
  c.Ok({I32({2, 1000, 3}), Scalar(1)});
  c.Ok({I32({1, 70000, 2}), Scalar(1)});
  c.Ok({Vec(kFloat, {3, 1, 1, 3}), Scalar(0)});
  c.Ok({Empty(kFloat, {0, 2}), Scalar(1)});
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const DataType t :
       {DataType::kHalf, DataType::kBfloat16, kFloat, DataType::kDouble}) {
    c.Ok({Of(t, {11, 2}, {kNan, kNan,  kNan,  1,    1,     kNan, -kInf, -kInf,
                          kNan, -kInf, -kInf, kNan, -kInf, -3,   kInf,  kNan,
                          kNan, kInf,  kInf,  kInf, -1e9,  kInf}),
          Scalar(1)});
    c.Ok({MixedNoNan(t, {6, 7}), Scalar(0)});
    c.Ok({Mixed(t, {6, 7}), Scalar(1)});
    c.Ok({Mixed(t, {6, 300}), Scalar(1)});
  }
  c.Error({Empty(kFloat, {2, 0}), Scalar(1)}, StatusCode::kInvalidArgument,
          "Reduction axis 1 is empty in shape [2,0]");
  c.Error({F32({2, 2}), Scalar(2)}, StatusCode::kInvalidArgument,
          "Expected dimension in the range [-2, 2), but got 2");
  c.Error({F32({2, 2}), Vec({0})}, StatusCode::kInvalidArgument,
          "dim must be a scalar, but received tensor of shape: [1]");
  c.Error({F32({}), Scalar(0)}, StatusCode::kInvalidArgument,
          "Expected dimension in the range [0, 0), but got 0");
}

}  // namespace

MR_CASES(ArgMax)(CaseList& c) {
  Arg(c);
  c.Ok({F32({4, 5}), Scalar(DataType::kInt16, 0)})
      .NoStock("it reads an int16 axis as a wider type");
}
MR_CASES(ArgMin)(CaseList& c) { Arg(c); }

}  // namespace millrace::cases
