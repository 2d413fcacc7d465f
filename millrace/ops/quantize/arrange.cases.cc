#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {

MR_CASES(QuantizedReshape)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Numbers(t, {2, 6}), Vec({3, 4}), F(-1), F(2)});
    c.Ok({Numbers(t, {2, 6}), Vec(DataType::kInt64, {2, -1, 3}), F(-1), F(2)});
    c.Ok({Numbers(t, {1}), Vec({}), F(-1), F(2)});
    c.Ok({Numbers(t, {2, 1, 3, 1, 2}), Vec({-1}), F(-1), F(2)});
    c.Ok({Empty(t, {0, 3}), Vec({3, 0}), F(-1), F(2)});
    c.Ok({Numbers(t, {2}), Vec({2, 1}), Vec(kFloat, {-1}), Vec(kFloat, {1})})
        .NoShapeCheck();
  });
  c.Error({Bytes({2, 3}), Vec({4, -1}), F(-1), F(2)}, kBad,
          "Input to reshape is a tensor with 6 values, but the requested shape "
          "requires a multiple of 4");
  c.Error({Bytes({2, 3}), Vec({6}), F32({2}), F(2)}, kBad,
          "input_min must be a scalar or a vector of 1 element");
  c.Error({Bytes({2, 3}), Vec({6}), F(1), F32({1, 1})}, kBad,
          "input_max must be a scalar or a vector of 1 element");
  c.BuildError({Bytes({2, 3}), Vec({6}), F32({1}), F(2)}, {},
               "Shape must be rank 0");
  c.BuildError({Bytes({2, 3}), Vec({5}), F(1), F(2)}, {},
               "Cannot reshape a tensor with 6 elements to shape [5] (5 "
               "elements)");
}

MR_CASES(QuantizedConcat)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    constexpr double kRanges[][4] = {{-1, 2, -1, 2},
                                     {-1, 2, -3, 1},
                                     {1, 2, 3, 6},
                                     {-5, -2, -3, -1},
                                     {0, 6, 0, 3}};
    for (const auto& r : kRanges) {
      c.Ok({Scalar(1), Numbers(t, {4, 9}), Numbers(t, {4, 7}), F(r[0]), F(r[2]),
            F(r[1]), F(r[3])});
    }
    c.Ok({Scalar(0), Numbers(t, {2, 3}), Numbers(t, {1, 3}), F(-1), F(-2), F(1),
          F(3)});
    c.Ok({Scalar(2), Numbers(t, {2, 1, 3, 1, 2}), Numbers(t, {2, 1, 1, 1, 2}),
          Numbers(t, {2, 1, 2, 1, 2}), F(-1), F(-2), F(0), F(1), F(3), F(9)});
    c.Ok({Scalar(0), Numbers(t, {3000}), Numbers(t, {5000}), F(-1), F(-2), F(1),
          F(3)});
    c.Ok({Scalar(1), Empty(t, {2, 0}), Numbers(t, {2, 3}), F(-1), F(-2), F(1),
          F(3)})
        .Deviates("stock takes the range of the empty tensor for the next one");
    c.Ok({Scalar(1), Empty(t, {0, 1}), Empty(t, {0, 3}), F(-1), F(-2), F(1),
          F(3)});
  });
  const auto error = [&c](Value axis, Value a, Value b, const char* words) {
    c.Error(
        {std::move(axis), std::move(a), std::move(b), F(-1), F(-2), F(1), F(3)},
        kBad, words);
  };
  error(Vec({0}), Bytes({2}), Bytes({3}),
        "Concat dim tensor should be a scalar integer, but got shape [1]");
  error(Scalar(1), Bytes({2}), Bytes({3}),
        "ConcatOp : Expected concatenating dimensions in the range [0, 1), "
        "but got 1");
  error(Scalar(-1), Bytes({2}), Bytes({3}),
        "ConcatOp : Expected concatenating dimensions in the range [0, 1), "
        "but got -1");
  error(Scalar(0), Bytes({2}), Bytes({3, 1}),
        "ConcatOp : Ranks of all input tensors should match: shape[0] = [2] "
        "vs. shape[1] = [3,1]");
  error(Scalar(0), Bytes({2, 2}), Bytes({3, 1}),
        "ConcatOp : Dimensions of inputs should match: shape[0] = [2,2] vs. "
        "shape[1] = [3,1]");
  c.Ok({Scalar(0), Bytes({2}), Bytes({3}), Vec(kFloat, {-1}), F(-2), F(1),
        F(3)})
      .NoShapeCheck();
  c.Error(
      {Scalar(0), Bytes({2}), Bytes({3}), F(-1), F(-2), F(1),
       Empty(kFloat, {0})},
      kBad,
      "input_maxes each tensor's num elements must be 1, given num elements 0 "
      "in index 1");
  c.BuildError({Scalar(0), Bytes({2}), Bytes({3}), F32({1}), F(-2), F(1), F(3)},
               {}, "Shape must be rank 0");
}

}  // namespace millrace::cases
