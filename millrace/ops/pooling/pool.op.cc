#include "millrace/ops/pooling/pool.op.h"

#include <string>
#include <vector>

#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {
namespace {

using Ints = std::vector<int64_t>;

// Sets output 0 to the pooled input 0; only its rank if `ksize` is not known.
Status PoolShape(ShapeContext& c, int spatial, const Ints* ksize,
                 const Ints* strides) {
  std::string format = spatial == 3 ? "NDHWC" : "NHWC";
  if (c.attrs().Find("data_format")) {
    MR_ASSIGN_OR_RETURN(format, c.Attr<std::string>("data_format"));
  }
  if (format == "NCHW_VECT_C") return c.Return(PartialShape::UnknownOfRank(5));
  MR_ASSIGN_OR_RETURN(const ImageLayout layout, LayoutOf(format));
  const int rank = layout.rank();
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, rank));
  if (!ksize || !strides) return c.Return(PartialShape::UnknownOfRank(rank));
  if (static_cast<int>(ksize->size()) != rank ||
      static_cast<int>(strides->size()) != rank) {
    return InvalidArgument("Pooling requires ksize and strides of ", rank,
                           " values, but got: ", ksize->size(), " and ",
                           strides->size());
  }
  MR_ASSIGN_OR_RETURN(const std::string padding,
                      c.Attr<std::string>("padding"));
  MR_ASSIGN_OR_RETURN(const Ints paddings,
                      IntListOr(c.attrs(), "explicit_paddings", {}));
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

Status PoolShapeOfAttrs(ShapeContext& c, int spatial) {
  MR_ASSIGN_OR_RETURN(const Ints ksize, c.Attr<Ints>("ksize"));
  MR_ASSIGN_OR_RETURN(const Ints strides, c.Attr<Ints>("strides"));
  return PoolShape(c, spatial, &ksize, &strides);
}

}  // namespace

Status Pool2DShape(ShapeContext& c) { return PoolShapeOfAttrs(c, 2); }
Status Pool3DShape(ShapeContext& c) { return PoolShapeOfAttrs(c, 3); }

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

}  // namespace millrace::ops
