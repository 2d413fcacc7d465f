#include "millrace/ops/convolution/conv.op.h"

#include "millrace/graph/op_decl.h"
#include "millrace/ops/quantize/range_shapes.op.h"

namespace millrace::ops {
namespace {

bool HasInput(const ShapeContext& c, const char* name) {
  for (const ArgDef& arg : c.op().inputs) {
    if (arg.name == name) return true;
  }
  return false;
}

// The sizes of images that a list of paddings makes are not known.
void ForgetPaddedSizes(ShapeContext& c) {
  const AttrValue* paddings = c.attrs().Find("padding_list");
  const auto* list =
      paddings == nullptr ? nullptr : paddings->get<AttrValue::IntList>();
  const PartialShape s = c.output(0);
  if (list == nullptr || list->empty() || s.rank() != 4) return;
  c.set_output(0, PartialShape({s.dim(0), kUnknownDim, kUnknownDim, s.dim(3)}));
}

enum class FilterRanges { kScalar, kEachChannel };

// The ranges of filters may have a number for each channel. So has the range of
// the result then, unless it is given.
template <FilterRanges kRanges>
Status FusedConvShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(Conv2DShape(c));
  const bool bias = HasInput(c, "bias");
  if (bias) MR_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  const int first = bias ? 3 : 2;
  MR_RETURN_IF_ERROR(RequireScalars(c, first, first + 2));
  PartialShape range;
  for (const int i : {first + 2, first + 3}) {
    MR_ASSIGN_OR_RETURN(range, kRanges == FilterRanges::kScalar
                                   ? c.WithRank(i, 0)
                                   : c.WithRankAtMost(i, 1));
  }
  if (HasInput(c, "min_freezed_output")) {
    MR_RETURN_IF_ERROR(RequireScalars(c, first + 4, first + 6));
    SetScalars(c, 1, 3);
  } else {
    c.set_output(1, range);
    c.set_output(2, range);
  }
  ForgetPaddedSizes(c);
  return OkStatus();
}

Status FusedDepthwiseShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(DepthwiseConvShape(c));
  ForgetPaddedSizes(c);
  return OkStatus();
}

constexpr auto kFull = FusedConvShape<FilterRanges::kEachChannel>;

}  // namespace

#define MR_QUANTIZED_CONV(bias)                                         \
  "input: Tinput, filter: Tfilter, " bias                               \
  "min_input: float, max_input: float, min_filter: float, max_filter: " \
  "float"
#define MR_FREEZED ", min_freezed_output: float, max_freezed_output: float"
#define MR_QUANTIZED_SUMMAND \
  ", summand: Tsummand, min_summand: float, max_summand: float"
#define MR_CONV_OUTPUTS "output: out_type, min_output: float, max_output: float"
#define MR_CONV_ATTRS(more, out)                                            \
  "Tinput: quantizedtype; Tfilter: quantizedtype; " more                    \
  "out_type: quantizedtype = " out                                          \
  "; strides: list(int); padding: {'SAME', 'VALID'}; dilations: list(int) " \
  "= [1, 1, 1, 1]"
#define MR_PADDING_LIST "; padding_list: list(int) = []"
#define MR_TBIAS "Tbias: {float, qint32}; "

MR_OP(QuantizedConv2DPerChannel){
    .inputs = MR_QUANTIZED_CONV(""),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32"),
    .shape = kFull,
    .doc = "Conv2D of quantized numbers with a range for each channel.",
};
MR_OP(QuantizedConv2DAndRelu){
    .inputs = MR_QUANTIZED_CONV(""),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "Relu of QuantizedConv2DPerChannel.",
};
MR_OP(QuantizedConv2DAndRequantize){
    .inputs = MR_QUANTIZED_CONV("") MR_FREEZED,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint8") MR_PADDING_LIST,
    .shape = FusedConvShape<FilterRanges::kScalar>,
    .doc = "QuantizedConv2DPerChannel as bytes of the given range.",
};
MR_OP(QuantizedConv2DAndReluAndRequantize){
    .inputs = MR_QUANTIZED_CONV("") MR_FREEZED,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "quint8") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "Relu of QuantizedConv2DPerChannel as bytes of the given range.",
};
MR_OP(QuantizedConv2DWithBias){
    .inputs = MR_QUANTIZED_CONV("bias: float, "),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "QuantizedConv2DPerChannel and a bias.",
};
MR_OP(QuantizedConv2DWithBiasAndRelu){
    .inputs = MR_QUANTIZED_CONV("bias: float, "),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "Relu of QuantizedConv2DWithBias.",
};
MR_OP(QuantizedConv2DWithBiasAndRequantize){
    .inputs = MR_QUANTIZED_CONV("bias: Tbias, ") MR_FREEZED,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS(MR_TBIAS, "qint8") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "QuantizedConv2DWithBias as bytes of the given range.",
};
MR_OP(QuantizedConv2DWithBiasAndReluAndRequantize){
    .inputs = MR_QUANTIZED_CONV("bias: Tbias, ") MR_FREEZED,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS(MR_TBIAS, "quint8") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "Relu of QuantizedConv2DWithBias as bytes of the given range.",
};
MR_OP(QuantizedConv2DWithBiasSumAndRelu){
    .inputs = MR_QUANTIZED_CONV("bias: float, ") ", summand: float",
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32") MR_PADDING_LIST,
    .shape = kFull,
    .doc = "Relu of QuantizedConv2DWithBias plus a summand.",
};
MR_OP(QuantizedConv2DWithBiasSumAndReluAndRequantize){
    .inputs = MR_QUANTIZED_CONV("bias: Tbias, ")
        MR_FREEZED MR_QUANTIZED_SUMMAND,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS(MR_TBIAS "Tsummand: quantizedtype; ", "quint8")
        MR_PADDING_LIST,
    .shape = kFull,
    .doc =
        "Relu of QuantizedConv2DWithBias plus a summand, as bytes of the given "
        "range.",
};
MR_OP(QuantizedConv2DWithBiasSignedSumAndReluAndRequantize){
    .inputs = MR_QUANTIZED_CONV("bias: Tbias, ")
        MR_FREEZED MR_QUANTIZED_SUMMAND,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS(MR_TBIAS "Tsummand: quantizedtype; ", "quint8")
        MR_PADDING_LIST,
    .shape = kFull,
    .doc =
        "Relu of QuantizedConv2DWithBias plus a signed summand, as bytes of "
        "the given range.",
};
MR_OP(QuantizedDepthwiseConv2D){
    .inputs = MR_QUANTIZED_CONV(""),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32"),
    .shape = DepthwiseConvShape,
    .doc = "DepthwiseConv2dNative of quantized numbers.",
};
MR_OP(QuantizedDepthwiseConv2DWithBias){
    .inputs = MR_QUANTIZED_CONV("bias: float, "),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32"),
    .shape = DepthwiseConvShape,
    .doc = "QuantizedDepthwiseConv2D and a bias.",
};
MR_OP(QuantizedDepthwiseConv2DWithBiasAndRelu){
    .inputs = MR_QUANTIZED_CONV("bias: float, "),
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS("", "qint32") MR_PADDING_LIST,
    .shape = FusedDepthwiseShape,
    .doc = "Relu of QuantizedDepthwiseConv2DWithBias.",
};
MR_OP(QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize){
    .inputs = MR_QUANTIZED_CONV("bias: Tbias, ") MR_FREEZED,
    .outputs = MR_CONV_OUTPUTS,
    .attrs = MR_CONV_ATTRS(MR_TBIAS, "quint8") MR_PADDING_LIST,
    .shape = FusedDepthwiseShape,
    .doc =
        "Relu of QuantizedDepthwiseConv2DWithBias as bytes of the given range.",
};

}  // namespace millrace::ops
