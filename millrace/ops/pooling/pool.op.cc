#include "millrace/ops/pooling/pool.op.h"

#include "millrace/graph/shape_context.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

using Ints = std::vector<int64_t>;

// Output 0 of pooling input 0; rank only where `ksize` is not known.
Status PoolShape(ShapeContext& c, int spatial, const Ints* ksize,
                 const Ints* strides) {
  std::string format = spatial == 3 ? "NDHWC" : "NHWC";
  if (c.attrs().Find("data_format")) {
    MR_ASSIGN(format, c.Attr<std::string>("data_format"));
  }
  if (format == "NCHW_VECT_C") return c.Return(PartialShape::UnknownOfRank(5));
  MR_ASSIGN(const ImageLayout layout, LayoutOf(format));
  const int rank = layout.rank();
  MR_ASSIGN(const PartialShape input, c.WithRank(0, rank));
  if (!ksize || !strides) return c.Return(PartialShape::UnknownOfRank(rank));
  if (static_cast<int>(ksize->size()) != rank ||
      static_cast<int>(strides->size()) != rank) {
    return InvalidArgument("Pooling requires ksize and strides of ", rank,
                           " values, but got: ", ksize->size(), " and ",
                           strides->size());
  }
  MR_ASSIGN(const std::string padding, c.Attr<std::string>("padding"));
  MR_ASSIGN(const Ints paddings, IntListOr(c.attrs(), "explicit_paddings", {}));
  if (padding == "EXPLICIT" && static_cast<int>(paddings.size()) != 2 * rank) {
    return InvalidArgument("explicit_paddings attribute must contain ",
                           2 * rank, " values, but got: ", paddings.size());
  }
  PartialShape output = input;
  for (int d = 0; d < rank; ++d) {
    if (d == 0) continue;
    Window w;
    w.input = input.dim(d);
    w.filter = (*ksize)[d];
    w.stride = (*strides)[d];
    if (padding == "EXPLICIT") {
      w.before = paddings[2 * d];
      w.after = paddings[2 * d + 1];
    }
    MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kBuild, padding, &w));
    output.set_dim(d, w.output);
  }
  return c.Return(std::move(output));
}

template <int kSpatial>
Status PoolShapeOfAttrs(ShapeContext& c) {
  MR_ASSIGN(const Ints ksize, c.Attr<Ints>("ksize"));
  MR_ASSIGN(const Ints strides, c.Attr<Ints>("strides"));
  return PoolShape(c, kSpatial, &ksize, &strides);
}

// Window and strides are inputs `first` and `first` + 1.
Status PoolShapeOfInputs(ShapeContext& c, int first) {
  Ints lists[2];
  for (int i = 0; i < 2; ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(first + i, 1).status());
    const Tensor* value = c.input_value(first + i);
    if (!value) return PoolShape(c, 2, nullptr, nullptr);
    for (const int32_t n : value->flat<int32_t>()) lists[i].push_back(n);
  }
  return PoolShape(c, 2, &lists[0], &lists[1]);
}

template <int kRank>
Status LikeInput(ShapeContext& c) {
  MR_ASSIGN(PartialShape input, c.WithRank(0, kRank));
  return c.Return(std::move(input));
}

// The gradient is that of the input, the result that of the output.
Status MergeGradGrad(ShapeContext& c) {
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeShapes(c.input(0), c.input(2)).status());
  return ShapeContext::MergeShapes(c.input(1), c.output(0)).status();
}

template <int kSpatial>
Status GradGradShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(PoolShapeOfAttrs<kSpatial>(c));
  return MergeGradGrad(c);
}

template <int kRank>
Status ShapeOfSizes(ShapeContext& c) {
  MR_ASSIGN(PartialShape shape, c.ShapeFromInput(0));
  MR_ASSIGN(shape, ShapeContext::WithRank(shape, kRank));
  return c.Return(std::move(shape));
}

Status WithTapsShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(PoolShapeOfAttrs<2>(c));
  c.set_output(1, PartialShape());
  return OkStatus();
}

Status WithArgmaxShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(PoolShapeOfAttrs<2>(c));
  c.set_output(1, c.output(0));
  return OkStatus();
}

}  // namespace

Status Pool2DShape(ShapeContext& c) { return PoolShapeOfAttrs<2>(c); }

#define MR_SIZES(n) "ksize: list(int) >= " n "; strides: list(int) >= " n "; "
#define MR_PADDING "padding: {'SAME', 'VALID'}"
#define MR_PADDINGS                          \
  "padding: {'SAME', 'VALID', 'EXPLICIT'}; " \
  "explicit_paddings: list(int) = []"
#define MR_FORMAT "; data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define MR_FORMAT_3D "; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
#define MR_POOL_TYPES                                                     \
  "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, " \
  "uint16, qint8} = float; "
#define MR_REAL                                                     \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, " \
  "uint16, half, uint32, uint64}"
#define MR_FLOATS "; T: {half, bfloat16, float, double}"

MR_OP(MaxPool){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_POOL_TYPES MR_SIZES("4") MR_PADDINGS
    "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
    .shape = PoolShapeOfAttrs<2>,
    .doc = "The largest element of each window.",
};
MR_OP(MaxPoolV2){
    .inputs = "input: T, ksize: int32, strides: int32",
    .outputs = "output: T",
    .attrs = MR_POOL_TYPES MR_PADDING
    "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
    .shape = [](ShapeContext& c) { return PoolShapeOfInputs(c, 1); },
    .doc = "MaxPool with window and strides as inputs.",
};
MR_OP(MaxPoolGrad){
    .inputs = "orig_input: T, orig_output: T, grad: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("4") MR_PADDINGS MR_FORMAT "; " MR_REAL " = float",
    .shape = LikeInput<4>,
    .doc = "The gradient of MaxPool: it goes to the first largest element.",
};
MR_OP(MaxPoolGradV2){
    .inputs =
        "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
    .outputs = "output: T",
    .attrs = MR_PADDING MR_FORMAT "; " MR_REAL " = float",
    .shape = LikeInput<4>,
    .doc = "MaxPoolGrad with window and strides as inputs.",
};
MR_OP(MaxPoolGradGrad){
    .inputs = "orig_input: T, orig_output: T, grad: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("4") MR_PADDING MR_FORMAT "; " MR_REAL,
    .shape = GradGradShape<2>,
    .doc = "The elements of grad at the places of the largest elements.",
};
MR_OP(MaxPoolGradGradV2){
    .inputs =
        "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32",
    .outputs = "output: T",
    .attrs = MR_PADDING MR_FORMAT "; " MR_REAL,
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(PoolShapeOfInputs(c, 3));
      return MergeGradGrad(c);
    },
    .doc = "MaxPoolGradGrad with window and strides as inputs.",
};
MR_OP(MaxPoolWithArgmax){
    .inputs = "input: T",
    .outputs = "output: T, argmax: Targmax",
    .attrs = MR_SIZES("4") "Targmax: {int32, int64} = int64; " MR_PADDING
                           "; include_batch_in_index: bool = false; " MR_REAL,
    .shape = WithArgmaxShape,
    .doc =
        "MaxPool and where the largest elements are: their number within the "
        "image, or within the batch.",
};
MR_OP(MaxPoolGradWithArgmax){
    .inputs = "input: T, grad: T, argmax: Targmax",
    .outputs = "output: T",
    .attrs = MR_SIZES("4") MR_PADDING
    "; include_batch_in_index: bool = false; Targmax: {int32, "
    "int64}; " MR_REAL,
    .shape = LikeInput<4>,
    .doc = "The gradient of MaxPoolWithArgmax.",
};
MR_OP(AvgPool){
    .inputs = "value: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("4") MR_PADDING MR_FORMAT MR_FLOATS,
    .shape = PoolShapeOfAttrs<2>,
    .doc = "The mean of each window; padding does not count.",
};
MR_OP(AvgPoolGrad){
    .inputs = "orig_input_shape: int32, grad: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("4") MR_PADDING MR_FORMAT MR_FLOATS,
    .shape = ShapeOfSizes<4>,
    .doc = "The gradient of AvgPool.",
};
MR_OP(AvgPool3D){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("5") MR_PADDING MR_FORMAT_3D MR_FLOATS,
    .shape = PoolShapeOfAttrs<3>,
    .doc = "AvgPool of volumes.",
};
MR_OP(AvgPool3DGrad){
    .inputs = "orig_input_shape: int32, grad: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("5") MR_PADDING MR_FORMAT_3D MR_FLOATS,
    .shape = ShapeOfSizes<5>,
    .doc = "The gradient of AvgPool3D.",
};
MR_OP(MaxPool3D){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("5") MR_PADDING MR_FORMAT_3D
    "; T: {half, bfloat16, "
    "float}",
    .shape = PoolShapeOfAttrs<3>,
    .doc = "MaxPool of volumes.",
};
MR_OP(MaxPool3DGrad){
    .inputs = "orig_input: TInput, orig_output: TInput, grad: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("5") MR_PADDING MR_FORMAT_3D
    "; T: {half, bfloat16, float} = float; TInput: {half, bfloat16, float} = "
    "float",
    .shape = LikeInput<5>,
    .doc = "The gradient of MaxPool3D.",
};
MR_OP(MaxPool3DGradGrad){
    .inputs = "orig_input: T, orig_output: T, grad: T",
    .outputs = "output: T",
    .attrs = MR_SIZES("5") MR_PADDING MR_FORMAT_3D "; " MR_REAL,
    .shape = GradGradShape<3>,
    .doc = "The elements of grad at the places of the largest elements.",
};
MR_OP(_MaxPoolWithTaps){
    .inputs = "input: T",
    .outputs = "output: T, taps: uint8",
    .attrs = MR_SIZES("4") MR_PADDINGS
    "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; " MR_REAL
    " = float",
    .shape = WithTapsShape,
    .doc =
        "MaxPool, and which tap of its window each element is, for its "
        "gradient. Made by graph rewriting when a graph is compiled; no graph "
        "from outside has it.",
};
MR_OP(_MaxPoolGradByTaps){
    .inputs = "orig_input: T, orig_output: T, grad: T, taps: uint8",
    .outputs = "output: T",
    .attrs = MR_SIZES("4") MR_PADDINGS MR_FORMAT "; " MR_REAL " = float",
    .shape = LikeInput<4>,
    .doc =
        "MaxPoolGrad that knows the largest elements from _MaxPoolWithTaps. "
        "Made by graph rewriting when a graph is compiled; no graph from "
        "outside has it.",
};

}  // namespace millrace::ops
