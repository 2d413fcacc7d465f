#include <cmath>

#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Windows(const char* padding, int64_t stride = 1, int64_t rate = 1) {
  return {{"padding", padding},
          {"strides", IntList({1, stride, stride, 1})},
          {"rates", IntList({1, rate, rate, 1})}};
}

AttrMap DilationWith(const char* name, IntList list) {
  AttrMap attrs = Windows("VALID");
  attrs.Set(name, std::move(list));
  return attrs;
}

// The inputs of Dilation2D, or of a gradient if `out` is the shape of the
// result.
std::vector<Value> Images(DataType t, TensorShape in, TensorShape filter,
                          const TensorShape* out) {
  std::vector<Value> inputs = {Rand(t, std::move(in)),
                               Rand(t, std::move(filter))};
  if (out != nullptr) inputs.push_back(Rand(t, *out));
  return inputs;
}

void AddDilationCases(CaseList& c, bool gradient) {
  const auto inputs = [gradient](DataType t, TensorShape in, TensorShape filter,
                                 const TensorShape& out) {
    return Images(t, std::move(in), std::move(filter),
                  gradient ? &out : nullptr);
  };
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok(inputs(t, {2, 6, 7, 3}, {2, 3, 3}, {2, 5, 5, 3}), Windows("VALID"));
    c.Ok(inputs(t, {2, 6, 7, 3}, {2, 3, 3}, {2, 3, 4, 3}), Windows("SAME", 2));
    c.Ok(inputs(t, {1, 6, 7, 2}, {3, 2, 2}, {1, 2, 5, 2}),
         Windows("VALID", 1, 2));
    c.Ok(inputs(t, {1, 5, 5, 2}, {3, 3, 2}, {1, 2, 2, 2}),
         Windows("SAME", 3, 2));
    c.Ok(inputs(t, {1, 4, 5, 2}, {9, 3, 2}, {1, 4, 5, 2}), Windows("SAME"));
  });
  const DataType f = DataType::kFloat;
  c.Ok(inputs(f, {5, 40, 40, 30}, {3, 3, 30}, {5, 40, 40, 30}), Windows("SAME"))
      .Tolerance(1e-3);
  c.Ok(inputs(f, {0, 4, 5, 2}, {2, 3, 2}, {0, 3, 3, 2}), Windows("VALID"));
  c.Ok(inputs(f, {1, 4, 5, 0}, {2, 3, 0}, {1, 3, 3, 0}), Windows("VALID"));
  c.Ok(inputs(f, {1, 4, 5, 2}, {5, 3, 2}, {1, 0, 3, 2}), Windows("VALID"));
  c.Ok(inputs(f, {1, 0, 5, 2}, {2, 3, 2}, {1, 0, 5, 2}), Windows("SAME"));
  c.Ok(inputs(f, {1, 4, 5, 2}, {0, 3, 2}, {1, 4, 5, 2}), Windows("SAME"));
  // Rates need not be positive.
  c.Ok(inputs(f, {1, 4, 5, 2}, {2, 3, 2}, {1, 4, 3, 2}),
       DilationWith("rates", {1, 0, 1, 1}));
  c.Ok(inputs(f, {1, 4, 5, 2}, {2, 3, 2}, {1, 5, 3, 2}),
       DilationWith("rates", {1, -1, 1, 1}));
  c.Error(inputs(f, {4, 5, 2}, {2, 3, 2}, {1, 3, 3, 2}), Windows("VALID"),
          kInvalid, "input must be 4-dimensional[4,5,2]");
  c.Error(inputs(f, {1, 4, 5, 2}, {3, 2}, {1, 3, 3, 2}), Windows("VALID"),
          kInvalid, "filter must be 3-dimensional: [3,2]");
  c.Error(inputs(f, {1, 4, 5, 2}, {2, 3, 3}, {1, 3, 3, 2}), Windows("VALID"),
          kInvalid, "input and filter must have the same depth: 2 vs 3");
  c.Error(inputs(f, {1, 4, 5, 2}, {9, 3, 2}, {1, 3, 3, 2}), Windows("VALID"),
          kInvalid,
          "Computed output size would be negative: -4 [input_size: 4, "
          "effective_filter_size: 9, stride: 1]");
  const auto small = inputs(f, {1, 4, 5, 2}, {2, 3, 2}, {1, 3, 3, 2});
  c.Error(small, DilationWith("strides", {1, 0, 1, 1}), kInvalid,
          "Stride must be > 0, but got 0");
  c.Error(small, DilationWith("strides", {2, 1, 1, 1}),
          StatusCode::kUnimplemented,
          "Stride is only supported across spatial dimensions.");
  c.Error(small, DilationWith("rates", {1, 1, 1, 2}),
          StatusCode::kUnimplemented,
          "Rate is only supported across spatial dimensions.");
}

void AddGradientErrors(CaseList& c) {
  const DataType f = DataType::kFloat;
  const auto error = [&](const TensorShape& out, const char* words) {
    c.Error(Images(f, {1, 4, 5, 2}, {2, 3, 2}, &out), Windows("VALID"),
            kInvalid, words);
  };
  error({3, 3, 2}, "out_backprop must be 4-dimensional[3,3,2]");
  error({1, 2, 3, 2}, "out_backprop has incompatible size.");
  error({1, 3, 3, 1}, "out_backprop has incompatible size.");
  // No sum is larger than the smallest number.
  c.Ok({Full(f, {1, 4, 5, 1}, NAN), F32({2, 3, 1}), F32({1, 3, 3, 1})},
       Windows("VALID"));
  c.Ok({Full(f, {1, 4, 5, 1}, -INFINITY), F32({2, 3, 1}), F32({1, 4, 5, 1})},
       Windows("SAME"));
}

}  // namespace

MR_CASES(Dilation2D)(CaseList& c) {
  AddDilationCases(c, false);
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Mixed(t, {1, 6, 7, 3}), Rand(t, {2, 3, 3})}, Windows("VALID"));
  });
  const DataType f = DataType::kFloat;
  c.Ok({Full(f, {1, 4, 5, 1}, NAN), F32({2, 3, 1})}, Windows("VALID"));
  c.Ok({Rand(DataType::kDouble, {1, 4, 5, 2}),
        Rand(DataType::kDouble, {2, 2, 2})},
       Windows("SAME", 2))
      .Gradient();
  c.BuildError({F32({4, 5, 2}), F32({2, 3, 2})}, Windows("VALID"),
               "must be rank 4 but is rank 3");
  c.BuildError({F32({1, 4, 5, 2}), F32({2, 3})}, Windows("VALID"),
               "must be rank 3 but is rank 2");
  c.BuildError({F32({1, 4, 5, 2}), F32({2, 3, 3})}, Windows("VALID"),
               "Dimensions must be equal, but are 2 and 3");
  c.BuildError({F32({1, 4, 5, 2}), F32({2, 3, 2})},
               DilationWith("strides", {1, 1, 1, 1, 1}),
               "Dilation2D requires the stride attribute to contain 4 values, "
               "but got: 5");
  c.BuildError({F32({1, 4, 5, 2}), F32({2, 3, 2})},
               DilationWith("rates", {1, 1, 1, 1, 1}),
               "Dilation2D requires the rates attribute to contain 4 values, "
               "but got: 5");
  c.BuildError({F32({1, 4, 5, 2}), F32({2, 3, 2})},
               DilationWith("rates", {1, int64_t{1} << 31, 1, 1}),
               "Attr rates has value 2147483648 out of range for an int32");
  c.BuildError({F32({1, 4, 5, 2}), F32({2, 3, 2})},
               DilationWith("strides", {1, -1, 1, 1}),
               "Stride must be > 0, but got -1");
}
MR_CASES(Dilation2DBackpropInput)(CaseList& c) {
  AddDilationCases(c, true);
  AddGradientErrors(c);
}
MR_CASES(Dilation2DBackpropFilter)(CaseList& c) {
  AddDilationCases(c, true);
  AddGradientErrors(c);
}

}  // namespace millrace::cases
