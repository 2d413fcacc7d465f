#include "millrace/ops/indexing/scatter_nd.op.h"

namespace millrace::ops {
namespace {

Status ScatterInto(ShapeContext& c, const PartialShape& variable) {
  MR_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  MR_RETURN_IF_ERROR(c.WithRankAtLeast(2, 1).status());
  return CheckScatterShapes(c, 1, 2, variable);
}

Status ReferenceShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ScatterInto(c, c.input(0)));
  return c.Return(c.input(0));
}

Status ResourceShape(ShapeContext& c) {
  return ScatterInto(c, c.input_handles(0).empty()
                            ? PartialShape()
                            : c.input_handles(0)[0].shape);
}

// Completes the schema of a scatter into a reference variable.
consteval OpFields NdOfReference(OpFields fields) {
  fields.inputs = "ref: Ref(T), indices: Tindices, updates: T";
  fields.outputs = "output_ref: Ref(T)";
  fields.shape = ReferenceShape;
  return fields;
}

// Completes the schema of a scatter into a resource variable.
consteval OpFields NdOfResource(OpFields fields) {
  fields.inputs = "ref: resource, indices: Tindices, updates: T";
  fields.attrs =
      R"(T: type; Tindices: {int32, int64}; use_locking: bool = true; bad_indices_policy: string = "")";
  fields.flags = kStateful;
  fields.shape = ResourceShape;
  return fields;
}

}  // namespace

#define MR_NUMBERS_OF_REFERENCE                                             \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, " \
  "quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, "   \
  "uint32, uint64}; Tindices: {int32, int64}; use_locking: bool = false; "  \
  R"(bad_indices_policy: string = "")"

MR_OP(ScatterNdUpdate){NdOfReference({
    .attrs =
        R"(T: type; Tindices: {int32, int64}; use_locking: bool = true; bad_indices_policy: string = "")",
    .doc =
        "Sets the slices of a variable that the rows of `indices` name. With "
        "the policy IGNORE places outside are left out.",
})};
MR_OP(ScatterNdAdd){NdOfReference({
    .attrs = MR_NUMBERS_OF_REFERENCE,
    .doc = "Adds to the slices of a variable that the rows of `indices` name.",
})};
MR_OP(ScatterNdSub){NdOfReference({
    .attrs = MR_NUMBERS_OF_REFERENCE,
    .doc = "Subtracts from the slices of a variable that the rows of `indices` "
           "name.",
})};
MR_OP(ResourceScatterNdUpdate){NdOfResource({
    .doc = "ScatterNdUpdate for resource variables.",
})};
MR_OP(ResourceScatterNdAdd){NdOfResource({
    .doc = "ScatterNdAdd for resource variables; flags are combined by or.",
})};
MR_OP(ResourceScatterNdSub){NdOfResource({
    .doc = "ScatterNdSub for resource variables; a flag becomes whether both "
           "differ.",
})};

}  // namespace millrace::ops
