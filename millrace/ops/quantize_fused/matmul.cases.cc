#include "millrace/ops/quantize_fused/quantized.cases.h"

namespace millrace::cases {
namespace {

using namespace quantized;

struct Product {
  int64_t m = 2, k = 3, n = 4;
  bool ta = false, tb = false;
  double min_a = 0;
  DataType bias = kFloat;
  const char* mode = "MIN_FIRST";
};

std::vector<Value> InputsOf(const Product& p, bool requantizes) {
  std::vector<Value> in = {
      Unsigned(p.ta ? TensorShape({p.k, p.m}) : TensorShape({p.m, p.k})),
      Signed(p.tb ? TensorShape({p.n, p.k}) : TensorShape({p.k, p.n})),
      Bias(p.bias, p.n),
      F(p.min_a),
      F(2),
      F(-1),
      F(0.5)};
  if (requantizes) {
    in.push_back(F(-4));
    in.push_back(F(5));
  }
  return in;
}

// One number more or less where another order of the same roundings decides.
Case& AddProduct(CaseList& c, const Product& p) {
  const bool requantizes = c.op().inputs.size() > 7;
  AttrMap attrs = {{"transpose_a", p.ta},
                   {"transpose_b", p.tb},
                   {"input_quant_mode", p.mode},
                   {"Toutput", requantizes ? kU : kQ}};
  return c.Ok(InputsOf(p, requantizes), attrs).Tolerance(1e-7, 1);
}

void ProductCases(CaseList& c, std::initializer_list<DataType> biases) {
  for (const char* mode : {"MIN_FIRST", "SCALED"}) {
    for (const DataType bias : biases) {
      AddProduct(c, {.bias = bias, .mode = mode});
      AddProduct(c, {.m = 30, .k = 70, .n = 65, .bias = bias, .mode = mode});
      AddProduct(c, {.min_a = -1, .bias = bias, .mode = mode})
          .Deviates(
              "stock adds the bias in another unit if a range does not begin "
              "with 0");
      AddProduct(c, {.m = 0, .bias = bias, .mode = mode});
      for (const Product& p : {Product{.k = 0, .bias = bias, .mode = mode},
                               Product{.n = 0, .bias = bias, .mode = mode}}) {
        AddProduct(c, p).NoStock("stock's kernel may end the process");
      }
    }
    for (const Product& p :
         {Product{.ta = true, .mode = mode}, Product{.tb = true, .mode = mode},
          Product{.ta = true, .tb = true, .mode = mode}}) {
      AddProduct(c, p).NoStock(
          "stock's oneDNN kernels take no transposed factors");
    }
  }
  const bool requantizes = c.op().inputs.size() > 7;
  std::vector<Value> in = InputsOf({}, requantizes);
  const AttrMap attrs = {{"Toutput", requantizes ? kU : kQ}};
  in[2] = Bias(kFloat, 3);
  c.Error(in, attrs, kBad, "bias must be a vector of 4 numbers")
      .NoStock("stock reads behind the bias");
  in = InputsOf({}, requantizes);
  in[0] = Unsigned({2, 5});
  c.BuildError(in, attrs, "Dimensions must be equal, but are 5 and 3");
  in = InputsOf({}, requantizes);
  in[2] = F32({1, 4});
  c.BuildError(in, attrs, "Shape must be rank 1 but is rank 2");
  in = InputsOf({}, requantizes);
  in[3] = F32({1});
  c.BuildError(in, attrs, "Shape must be rank 0 but is rank 1");
}

}  // namespace

MR_CASES(QuantizedMatMulWithBias)(CaseList& c) {
  ProductCases(c, {kFloat, kQ});
}
MR_CASES(QuantizedMatMulWithBiasAndRelu)(CaseList& c) {
  ProductCases(c, {kFloat});
}
MR_CASES(QuantizedMatMulWithBiasAndReluAndRequantize)(CaseList& c) {
  ProductCases(c, {kFloat, kQ});
}

}  // namespace millrace::cases
