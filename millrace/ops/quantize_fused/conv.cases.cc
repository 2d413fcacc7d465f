#include "millrace/ops/quantize_fused/quantized.cases.h"

namespace millrace::cases {
namespace {

using namespace quantized;

struct Convolution {
  TensorShape input = {2, 6, 7, 3}, filter = {3, 2, 3, 5};
  DataType type = kU, bias = kFloat;
  int64_t stride = 1, dilation = 1;
  const char* padding = "SAME";
  double min_input = 0;
  bool each_channel = false;
  IntList paddings;
};

// What the schema says of an op.
struct Form {
  bool bias = false, requantizes = false, depthwise = false;
  DataType out = kQ, summand = DataType::kInvalid;
};
Form FormOf(const OpDef& op) {
  Form f;
  f.depthwise = op.name.find("Depthwise") != std::string::npos;
  const bool relu = op.name.find("AndRelu") != std::string::npos;
  for (const ArgDef& arg : op.inputs) {
    if (arg.name == "bias") f.bias = true;
    if (arg.name == "min_freezed_output") {
      f.requantizes = true;
      f.out = relu ? kU : kS;
    }
    if (arg.name == "summand") f.summand = kFloat;
  }
  if (f.summand == kFloat && f.requantizes) {
    f.summand = op.name.find("Signed") != std::string::npos ? kS : kU;
  }
  return f;
}

// A range of one number, or of one for each channel.
Value RangeEnd(double v, const Convolution& p, int64_t depth) {
  if (!p.each_channel) return F(v);
  Tensor t = Tensor::Zeros(kFloat, {depth});
  for (int64_t i = 0; i < depth; ++i) {
    t.mutable_flat<float>()[static_cast<size_t>(i)] =
        static_cast<float>(v * (1 + static_cast<double>(i * 5 % 7) / 4));
  }
  return t;
}

// Adds a convolution whose filter is a constant, as stock demands; with a
// summand, `summand` has its shape.
Case& Add(CaseList& c, const char* name, Convolution p,
          TensorShape summand = {}) {
  const Form f = FormOf(c.op());
  if (f.depthwise) p.filter = {3, 2, 3, 2};
  const int64_t depth =
      f.depthwise ? p.filter.dim(2) * p.filter.dim(3) : p.filter.dim(3);
  std::vector<Value> in = {p.type == kU ? Unsigned(p.input) : Signed(p.input),
                           "w"};
  if (f.bias) in.push_back(Bias(p.bias, depth));
  in.push_back(F(p.min_input));
  in.push_back(F(2));
  in.push_back(RangeEnd(-1, p, depth));
  in.push_back(RangeEnd(0.75, p, depth));
  if (f.requantizes) {
    in.push_back(F(-4));
    in.push_back(F(5));
  }
  if (f.summand != DataType::kInvalid) {
    in.push_back(f.summand == kU   ? Unsigned(summand)
                 : f.summand == kS ? Signed(summand)
                                   : Rand(kFloat, summand, -3, 3));
    if (f.summand != kFloat) {
      in.push_back(F(-1));
      in.push_back(F(3));
    }
  }
  AttrMap attrs = {{"strides", IntList{1, p.stride, p.stride, 1}},
                   {"dilations", IntList{1, p.dilation, p.dilation, 1}},
                   {"padding", p.padding},
                   {"out_type", f.out}};
  if (!p.paddings.empty()) attrs.Set("padding_list", p.paddings);
  const Value filter = Signed(p.filter);
  return c.Sequence(name)
      .Node("w", "Const", {}, {{"dtype", kS}, {"value", filter.tensor}})
      .Node("op", c.op().name, std::move(in), std::move(attrs))
      .Run({"op"})
      .Tolerance(1e-7, 1);
}

// Adds errors that the schema finds: `input` has a shape that it may not have.
void AddBuildError(CaseList& c, const char* input, TensorShape shape,
                   const char* words) {
  std::vector<Value> in;
  for (const ArgDef& arg : c.op().inputs) {
    const bool changed = arg.name == input;
    if (arg.name == "input") {
      in.push_back(Unsigned({2, 6, 7, 3}));
    } else if (arg.name == "filter") {
      in.push_back(Signed(changed ? shape : TensorShape({3, 2, 3, 5})));
    } else if (arg.name == "bias") {
      in.push_back(F32(changed ? shape : TensorShape({5})));
    } else {
      in.push_back(F32(changed ? shape : TensorShape()));
    }
  }
  c.BuildError(std::move(in),
               {{"strides", IntList{1, 1, 1, 1}},
                {"padding", "SAME"},
                {"out_type", FormOf(c.op()).out}},
               words);
}

void AddBuildErrors(CaseList& c) {
  const Form f = FormOf(c.op());
  if (f.depthwise) {
    AddBuildError(c, "filter", {3, 2, 4, 5},
                  "Dimensions must be equal, but are 3 and 4");
    return;
  }
  AddBuildError(c, "filter", {3, 2, 4, 5},
                "Depth of input (3) is not a multiple of input depth of filter "
                "(4)");
  AddBuildError(c, "min_input", {1}, "Shape must be rank 0 but is rank 1");
  AddBuildError(c, "max_filter", {1, 1}, "but is rank 2");
  if (f.bias) {
    AddBuildError(c, "bias", {1, 5}, "Shape must be rank 1 but is rank 2");
  }
  if (f.requantizes) {
    AddBuildError(c, "max_freezed_output", {1},
                  "Shape must be rank 0 but is rank 1");
  }
}

void ConvCases(CaseList& c, std::initializer_list<DataType> types,
               std::initializer_list<DataType> biases,
               bool each_channel = true) {
  for (const DataType type : types) {
    for (const DataType bias : biases) {
      for (const char* padding : {"SAME", "VALID"}) {
        Add(c, "plain", {.type = type, .bias = bias, .padding = padding});
        Add(c, "strides",
            {.type = type, .bias = bias, .stride = 2, .padding = padding});
      }
      if (each_channel) {
        Add(c, "channels", {.type = type, .bias = bias, .each_channel = true});
      }
    }
  }
  Add(c, "min", {.min_input = -3});
  Add(c, "large", {.input = {3, 15, 14, 3}, .filter = {3, 3, 3, 40}});
  if (!FormOf(c.op()).depthwise) {
    Add(c, "dilations", {.dilation = 2, .padding = "VALID"});
  }
  if (c.op().FindAttr("padding_list") != nullptr) {
    Add(c, "paddings",
        {.padding = "VALID", .paddings = IntList{0, 0, 2, 1, 0, 3, 0, 0}})
        .NoStock("stock's graph rewriting alone sets padding_list");
  }
  Add(c, "no_images", {.input = {0, 6, 7, 3}})
      .NoStock("stock's kernel may end the process");
  AddBuildErrors(c);
}

// Stock's kernel expects the summand's buffer where graph rewriting leaves it.
void SummandCases(CaseList& c, std::initializer_list<DataType> biases) {
  for (const DataType bias : biases) {
    Add(c, "plain", {.bias = bias}, {2, 6, 7, 5})
        .NoStock("stock ends the process");
    Add(c, "valid", {.bias = bias, .padding = "VALID", .each_channel = true},
        {2, 4, 6, 5})
        .NoStock("stock ends the process");
  }
}

}  // namespace

MR_CASES(QuantizedConv2DPerChannel)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat});
}
MR_CASES(QuantizedConv2DAndRelu)(CaseList& c) { ConvCases(c, {kU}, {kFloat}); }
MR_CASES(QuantizedConv2DAndRequantize)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat}, false);
}
MR_CASES(QuantizedConv2DAndReluAndRequantize)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat});
}
MR_CASES(QuantizedConv2DWithBias)(CaseList& c) {
  ConvCases(c, {kU, kS}, {kFloat});
}
MR_CASES(QuantizedConv2DWithBiasAndRelu)(CaseList& c) {
  ConvCases(c, {kU, kS}, {kFloat});
}
MR_CASES(QuantizedConv2DWithBiasAndRequantize)(CaseList& c) {
  ConvCases(c, {kU, kS}, {kFloat, kQ});
}
MR_CASES(QuantizedConv2DWithBiasAndReluAndRequantize)(CaseList& c) {
  ConvCases(c, {kU, kS}, {kFloat, kQ});
}
MR_CASES(QuantizedConv2DWithBiasSumAndRelu)(CaseList& c) {
  SummandCases(c, {kFloat});
}
MR_CASES(QuantizedConv2DWithBiasSumAndReluAndRequantize)(CaseList& c) {
  SummandCases(c, {kFloat, kQ});
}
MR_CASES(QuantizedConv2DWithBiasSignedSumAndReluAndRequantize)(CaseList& c) {
  SummandCases(c, {kFloat, kQ});
}
MR_CASES(QuantizedDepthwiseConv2D)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat});
}
MR_CASES(QuantizedDepthwiseConv2DWithBias)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat});
}
MR_CASES(QuantizedDepthwiseConv2DWithBiasAndRelu)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat});
}
MR_CASES(QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize)(CaseList& c) {
  ConvCases(c, {kU}, {kFloat, kQ});
}

}  // namespace millrace::cases
