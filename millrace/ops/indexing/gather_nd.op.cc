#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status GatherNdShape(ShapeContext& c, const PartialShape& params) {
  MR_ASSIGN_OR_RETURN(PartialShape indices, c.WithRankAtLeast(1, 1));
  if (!indices.known_rank() || !params.known_rank()) return c.Return({});
  const int64_t depth = ShapeContext::Dim(indices, -1);
  if (depth == kUnknownDim) return c.Return({});
  if (depth > params.rank()) {
    return InvalidArgument(
        "indices.shape[-1] must be <= params.rank, but saw indices shape: ",
        indices.DebugString(), " and params shape: ", params.DebugString());
  }
  return c.Return(Subshape(indices, 0, -1)
                      .Concatenate(Subshape(params, static_cast<int>(depth))));
}

Status ResourceGatherNdShape(ShapeContext& c) {
  if (c.input_handles(0).empty()) return GatherNdShape(c, PartialShape());
  const HandleShape& handle = c.input_handles(0)[0];
  MR_ASSIGN_OR_RETURN(const DataType dtype, c.Attr<DataType>("dtype"));
  if (handle.dtype != dtype) {
    return InvalidArgument(
        "Trying to read variable with wrong dtype. Expected ",
        DataTypeName(handle.dtype), " got ", DataTypeName(dtype));
  }
  return GatherNdShape(c, handle.shape);
}

}  // namespace

MR_OP(GatherNd){
    .inputs = "params: Tparams, indices: Tindices",
    .outputs = "output: Tparams",
    .attrs =
        R"(Tparams: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = "")",
    .shape = [](ShapeContext& c) -> Status {
      return GatherNdShape(c, c.input(0));
    },
    .doc =
        "Takes the slices of `params` at the places that the rows of `indices` "
        "name by their "
        "first coordinates. With the policy IGNORE a place outside gives "
        "zeros.",
};

MR_OP(ResourceGatherNd){
    .inputs = "resource: resource, indices: Tindices",
    .outputs = "output: dtype",
    .attrs = "dtype: type; Tindices: {int32, int64}",
    .flags = kStateful | kReadsVariable,
    .shape = ResourceGatherNdShape,
    .doc = "GatherNd of a resource variable, read without taking all of it.",
};

}  // namespace millrace::ops
