#include "millrace/graph/shape_context.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

template <int kSpatial>
Status PatchesShape(ShapeContext& c) {
  constexpr int kRank = kSpatial + 2;
  using Ints = std::vector<int64_t>;
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, kRank));
  MR_ASSIGN_OR_RETURN(const Ints sizes, c.Attr<Ints>("ksizes"));
  MR_ASSIGN_OR_RETURN(const Ints strides, c.Attr<Ints>("strides"));
  MR_ASSIGN_OR_RETURN(const Ints rates,
                      IntListOr(c.attrs(), "rates", Ints(kRank, 1)));
  MR_ASSIGN_OR_RETURN(const auto padding, c.Attr<std::string>("padding"));
  for (const Ints* list : {&sizes, &strides, &rates}) {
    if (list->size() != kRank) {
      return InvalidArgument("ksizes, strides and rates must contain ", kRank,
                             " values, but got: ", list->size());
    }
  }
  MR_ASSIGN_OR_RETURN(int64_t depth,
                      ShapeContext::MultiplyDims(shape.dim(kSpatial + 1), 1));
  for (int i = 1; i <= kSpatial; ++i) {
    MR_ASSIGN_OR_RETURN(depth, ShapeContext::MultiplyDims(depth, sizes[i]));
    Window w;
    w.input = shape.dim(i);
    w.filter = sizes[i];
    w.stride = strides[i];
    w.dilation = rates[i];
    MR_RETURN_IF_ERROR(ResolveWindow(WindowPhase::kBuild, padding, &w));
    shape.set_dim(i, w.output);
  }
  shape.set_dim(kSpatial + 1, depth);
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(ExtractImagePatches){
    .inputs = "images: T",
    .outputs = "patches: T",
    .attrs =
        "ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= "
        "4; T: {bfloat16, half, float, double, int8, int16, int32, int64, "
        "uint8, uint16, uint32, uint64, complex64, complex128, bool}; padding: "
        "{'SAME', 'VALID'}",
    .shape = PatchesShape<2>,
    .doc = "The elements of each window, side by side in the channels.",
};
MR_OP(ExtractVolumePatches){
    .inputs = "input: T",
    .outputs = "patches: T",
    .attrs =
        "ksizes: list(int) >= 5; strides: list(int) >= 5; T: {float, double, "
        "int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}; padding: {'SAME', 'VALID'}",
    .shape = PatchesShape<3>,
    .doc = "ExtractImagePatches of volumes.",
};

}  // namespace millrace::ops
