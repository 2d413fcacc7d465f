#include "millrace/ops/indexing/scatter_nd.op.h"

namespace millrace::ops {
namespace {

Status TensorScatterShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  MR_RETURN_IF_ERROR(CheckScatterShapes(c, 1, 2, shape));
  return c.Return(c.input(0));
}

// Completes the schema of a scatter into a tensor.
consteval OpFields OfTensor(OpFields fields) {
  fields.inputs = "tensor: T, indices: Tindices, updates: T";
  fields.outputs = "output: T";
  fields.shape = TensorScatterShape;
  return fields;
}

}  // namespace

#define MR_TENSOR_SCATTER_ATTRS \
  R"(T: type; Tindices: {int32, int64}; bad_indices_policy: string = "")"

MR_OP(TensorScatterUpdate){OfTensor({
    .attrs =
        R"(T: type; Tindices: {int16, int32, int64, uint16}; bad_indices_policy: string = "")",
    .doc =
        "`tensor` with the slices of `updates` at the places that the rows of "
        "`indices` name. With the policy IGNORE places outside are left out.",
})};
MR_OP(TensorScatterAdd){OfTensor({
    .attrs = MR_TENSOR_SCATTER_ATTRS,
    .doc =
        "`tensor` with each slice of `updates` added at the place that its row "
        "of `indices` names.",
})};
MR_OP(TensorScatterSub){OfTensor({
    .attrs = MR_TENSOR_SCATTER_ATTRS,
    .doc = "`tensor` with each slice of `updates` subtracted at the place that "
           "its row of `indices` names.",
})};
MR_OP(ScatterNdNonAliasingAdd){
    .inputs = "input: T, indices: Tindices, updates: T",
    .outputs = "output: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64, bool}; Tindices: {int32, int64}; "
        R"(bad_indices_policy: string = "")",
    .shape = TensorScatterShape,
    .doc =
        "`input` with each slice of `updates` added at the place that its row "
        "of `indices` names; flags are combined by or.",
};

}  // namespace millrace::ops
