// Shape functions that many ops share.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "millrace/graph/shape_context.h"

namespace millrace::shapes {
namespace {

StatusOr<int64_t> BroadcastDims(int64_t a, int64_t b) {
  if (a == 1) return b;
  if (b == 1) return a;
  // If one size is unknown and the other one is not 1, the result is the
  // latter.
  return ShapeContext::MergeDims(a, b);
}

}  // namespace

Status Unchanged(ShapeContext& c) {
  c.set_output(0, c.input(0));
  c.set_output_handles(0, c.input_handles(0));
  return OkStatus();
}

Status Scalar(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape({}));
  return OkStatus();
}

Status NoOutputs(ShapeContext&) { return OkStatus(); }

Status Unknown(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape());
  return OkStatus();
}

Status Broadcast(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape,
                      BroadcastShapes(c.input(0), c.input(1)));
  return c.Return(std::move(shape));
}

Status MergeAll(ShapeContext& c) {
  PartialShape shape;
  for (int i = c.num_inputs() - 1; i >= 0; --i) {
    auto merged = ShapeContext::MergeShapes(shape, c.input(i));
    if (!merged.ok()) {
      return Annotate(merged.status(), absl::StrCat("\n\tFrom merging shape ",
                                                    i, " with other shapes."));
    }
    shape = *std::move(merged);
  }
  return c.Return(std::move(shape));
}

PartialShape JoinShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || a.rank() != b.rank()) return PartialShape();
  PartialShape joined = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) joined.set_dim(i, kUnknownDim);
  }
  return joined;
}

std::vector<HandleShape> JoinHandles(const std::vector<HandleShape>& a,
                                     const std::vector<HandleShape>& b) {
  if (a.size() != b.size()) return {};
  std::vector<HandleShape> joined = a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype != b[i].dtype) return {};
    joined[i].shape = JoinShapes(a[i].shape, b[i].shape);
  }
  return joined;
}

Status Join(ShapeContext& c) {
  if (c.num_inputs() == 0) return c.Return(PartialShape());
  PartialShape shape = c.input(0);
  std::vector<HandleShape> handles = c.input_handles(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    shape = JoinShapes(shape, c.input(i));
    handles = JoinHandles(handles, c.input_handles(i));
  }
  c.set_output_handles(0, std::move(handles));
  return c.Return(std::move(shape));
}

StatusOr<PartialShape> BroadcastShapes(const PartialShape& a,
                                       const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  PartialShape out = PartialShape::UnknownOfRank(rank);
  for (int i = 0; i < rank; ++i) {
    const int in_a = i - (rank - a.rank());
    const int in_b = i - (rank - b.rank());
    MR_ASSIGN_OR_RETURN(
        const int64_t dim,
        BroadcastDims(in_a < 0 ? 1 : a.dim(in_a), in_b < 0 ? 1 : b.dim(in_b)));
    out.set_dim(i, dim);
  }
  return out;
}

}  // namespace millrace::shapes
