#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

StatusOr<int64_t> SizeInput(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const Tensor* size = c.input_value(1);
  if (size == nullptr) return kUnknownDim;
  const int64_t n = size->dtype() == DataType::kInt32 ? size->scalar<int32_t>()
                                                      : size->scalar<int64_t>();
  if (n < 0) return InvalidArgument("size (", n, ") must be non-negative");
  return n;
}

Status DenseBincountShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape input, c.WithRankAtMost(0, 2));
  MR_ASSIGN_OR_RETURN(int64_t size, SizeInput(c));
  if (!input.known_rank()) return c.Return(PartialShape());
  if (input.rank() == 2) return c.Return({input.dim(0), size});
  return c.Return({size});
}

}  // namespace

MR_OP(Bincount){
    .inputs = "arr: int32, size: int32, weights: T",
    .outputs = "bins: T",
    .attrs = "T: {int32, int64, float, double}",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(int64_t size, SizeInput(c));
      return c.Return({size});
    },
    .doc =
        "Returns how often each number below `size` occurs in `arr`, or the "
        "sum of its weights. Larger numbers are left out.",
};

MR_OP(DenseBincount){
    .inputs = "input: Tidx, size: Tidx, weights: T",
    .outputs = "output: T",
    .attrs =
        "Tidx: {int32, int64}; T: {int32, int64, float, double}; "
        "binary_output: bool = false",
    .shape = DenseBincountShape,
    .doc =
        "Returns how often each number below `size` occurs in `input`, or in "
        "each row of a matrix; the sum of its weights, or with binary_output "
        "whether it occurs.",
};

}  // namespace millrace::ops
