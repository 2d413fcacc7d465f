#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status ResourceGatherShape(ShapeContext& c) {
  PartialShape params;
  if (!c.input_handles(0).empty()) params = c.input_handles(0)[0].shape;
  const PartialShape& indices = c.input(1);
  MR_ASSIGN_OR_RETURN(const int64_t batch_dims, c.Attr<int64_t>("batch_dims"));
  if (!params.known_rank() || !indices.known_rank()) {
    return c.Return(PartialShape());
  }
  const auto batch = static_cast<int>(batch_dims);
  if (batch_dims < 0 || batch_dims > indices.rank()) {
    return InvalidArgument("batch_dims ", batch_dims, " is out of range");
  }
  if (params.rank() <= batch) {
    return InvalidArgument("Shape must be at least rank ", batch + 1,
                           " but is rank ", params.rank());
  }
  return c.Return(Subshape(params, 0, batch)
                      .Concatenate(Subshape(indices, batch))
                      .Concatenate(Subshape(params, batch + 1)));
}

}  // namespace

MR_OP(ResourceGather){
    .inputs = "resource: resource, indices: Tindices",
    .outputs = "output: dtype",
    .attrs =
        "batch_dims: int = 0; validate_indices: bool = true; dtype: type; "
        "Tindices: {int32, int64}",
    .flags = kStateful | kReadsVariable,
    .shape = ResourceGatherShape,
    .doc = "Rows of a resource variable, read without taking all of it.",
};

}  // namespace millrace::ops
