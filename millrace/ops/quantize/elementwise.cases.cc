#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {
namespace {

constexpr double kOperandRanges[][4] = {
    {0, 255, 0, 255}, {-1, 1, -2, 3},        {-6, 0, -0.5, 0.1},   {0, 6, 1, 3},
    {1, 5, -4, -2},   {-1e-3, 1e-3, 0, 1e4}, {-0.3, 6.1, 0.7, 0.9}};

void Binary(CaseList& c) {
  for (const auto& r : kOperandRanges) {
    const std::vector<Value> ranges = {F(r[0]), F(r[1]), F(r[2]), F(r[3])};
    const auto add = [&](TensorShape x, TensorShape y) {
      std::vector<Value> in = {Bytes(std::move(x)), Bytes(std::move(y))};
      in.insert(in.end(), ranges.begin(), ranges.end());
      return in;
    };
    c.Ok(add({300}, {300}));
    c.Ok(add({300}, {}));
    c.Ok(add({1}, {300}));
    c.Ok(add({3, 41}, {41}));
    c.Ok(add({41}, {3, 41}));
  }
  const auto add = [](TensorShape x, TensorShape y) {
    return std::vector<Value>{
        Bytes(std::move(x)), Bytes(std::move(y)), F(-1), F(1), F(-2), F(3)};
  };
  c.Ok(add({}, {}));
  c.Ok(add({2, 3, 2, 1, 2}, {2, 3, 2, 1, 2}));
  c.Ok(add({2, 3, 2, 1, 2}, {2}));
  c.Ok(add({40, 200}, {200}));
  c.Ok(add({0, 3}, {3})).NoStock("stock divides by the number of elements");
  c.Ok(add({0}, {0}));
  c.Ok(add({3, 1}, {3, 4}))
      .Deviates("stock repeats the smaller operand from its beginning");
  c.Ok(add({2, 1, 3}, {1, 4, 1}))
      .Deviates("stock broadcasts along one side only");
  c.Error(add({3}, {4}), kBad, "Incompatible shapes: [3] vs. [4]");
  c.BuildError(add({3}, {4}), {}, "Dimensions must be equal, but are 3 and 4");
}

// Adds errors of ranges: the messages for empty ranges of x and y, and for a
// `min_x` and a `max_y` that are not scalars.
void BadRanges(CaseList& c, const char* x, const char* y, const char* min_x,
               const char* max_y) {
  c.Error({Bytes({3}), Bytes({3}), F(1), F(1), F(0), F(1)}, kBad, x);
  c.Error({Bytes({3}), Bytes({3}), F(0), F(1), F(2), F(1)}, kBad, y);
  c.Error({Bytes({3}), Bytes({3}), F32({1}), F(1), F(2), F(1)}, kBad, min_x);
  c.Error({Bytes({3}), Bytes({3}), F(0), F(1), F(2), Empty(kFloat, {0})}, kBad,
          max_y);
}

void Relu(CaseList& c) {
  for (const DataType t : {kU, kQ}) {
    const AttrMap attrs = {{"out_type", t}};
    const auto values = [t](TensorShape shape) {
      return t == kU ? Bytes(std::move(shape))
                     : Rand(t, std::move(shape), -2e9, 2e9);
    };
    for (const auto& r :
         {std::pair(-1., 1.), std::pair(-6., 9.), std::pair(0., 5.),
          std::pair(1., 7.), std::pair(-9., -2.), std::pair(3., 3.)}) {
      c.Ok({values({3, 41}), F(r.first), F(r.second)}, attrs);
    }
    c.Ok({values({6000}), F(-6), F(9)}, attrs);
    c.Ok({values({}), F(-6), F(9)}, attrs);
    c.Ok({values({2, 1, 2, 3, 1}), F(-6), F(9)}, attrs);
    c.Ok({Empty(t, {0, 3}), F(-6), F(9)}, attrs);
    c.Ok({Mixed(t, {9}), F(-6), F(9)}, attrs);
  }
  c.Error({Bytes({3}), F32({1}), F(1)}, kBad,
          "`min_input` must be rank 0 but is rank 1");
  c.BuildError({Bytes({3}), F(0), F32({1})}, {}, "Shape must be rank 0");
}

}  // namespace

MR_CASES(QuantizedAdd)(CaseList& c) {
  Binary(c);
  BadRanges(c, "max_x must be larger than min_x.",
            "max_y must be larger than min_y.",
            "`min_x` must be rank 0 but is rank 1",
            "`max_y` must be rank 0 but is rank 1");
  c.BuildError({Bytes({3}), Bytes({3}), F32({1}), F(1), F(2), F(1)}, {},
               "Shape must be rank 0");
}
MR_CASES(QuantizedMul)(CaseList& c) {
  Binary(c);
  BadRanges(c, "max_x must be larger than min_a.",
            "max_x must be larger than min_b.", "min_x must be a scalar",
            "max_y must be a scalar");
}
MR_CASES(QuantizedBiasAdd)(CaseList& c) {
  const AttrMap attrs = {{"out_type", kQ}};
  for (const DataType t : {kU, DataType::kQint8}) {
    const auto values = [t](TensorShape shape) {
      return t == kU ? Bytes(std::move(shape))
                     : Rand(t, std::move(shape), -128, 128);
    };
    for (const auto& r : kOperandRanges) {
      c.Ok({values({7, 33}), values({33}), F(r[0]), F(r[1]), F(r[2]), F(r[3])},
           attrs);
    }
    c.Ok({values({2, 3, 4, 5}), values({5}), F(-1), F(1), F(-2), F(3)}, attrs);
    c.Ok({values({2, 1, 3, 1, 2}), values({2}), F(-1), F(1), F(-2), F(3)},
         attrs);
    c.Ok({values({4000, 3}), values({3}), F(-1), F(1), F(-2), F(3)}, attrs);
    c.Ok({Empty(t, {0, 3}), values({3}), F(-1), F(1), F(-2), F(3)}, attrs);
  }
  const auto error = [&](Value x, Value bias, const char* words) {
    c.Error({std::move(x), std::move(bias), F(-1), F(1), F(-2), F(3)}, attrs,
            kBad, words);
  };
  error(Bytes({3}), Bytes({3}), "Input tensor must be at least 2D: [3]");
  error(Bytes({3, 3}), Bytes({3, 1}), "Biases must be 1D: [3,1]");
  error(Bytes({3, 3}), Bytes({2}),
        "Must provide as many biases as the last dimension of the input "
        "tensor: [2] vs. [3,3]");
  error(Empty(kU, {3, 0}), Empty(kU, {0}), "Must provide at least 1 bias");
  c.Error({Bytes({3, 3}), Bytes({3}), F32({1}), F(1), F(-2), F(3)}, attrs, kBad,
          "`min_input` must be rank 0 but is rank 1");
  c.BuildError({Bytes({3}), Bytes({3}), F(-1), F(1), F(-2), F(3)}, attrs,
               "Shape must be at least rank 2");
}
MR_CASES(QuantizedRelu)(CaseList& c) { Relu(c); }
MR_CASES(QuantizedRelu6)(CaseList& c) { Relu(c); }

}  // namespace millrace::cases
