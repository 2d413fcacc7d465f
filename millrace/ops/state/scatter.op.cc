#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// Checks that updates.shape = indices.shape + variable.shape[1:], or a scalar.
Status CheckRows(ShapeContext& c, const PartialShape& variable) {
  const PartialShape& updates = c.input(2);
  if (!variable.known_rank()) return OkStatus();
  if (variable.rank() < 1) {
    return InvalidArgument("Shape must be at least rank 1 but is rank 0");
  }
  if (updates.known_rank() && updates.rank() == 0) return OkStatus();
  return ShapeContext::MergeShapes(
             updates, c.input(1).Concatenate(Subshape(variable, 1)))
      .status();
}

Status ScatterShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckRows(c, c.input(0)));
  return c.Return(c.input(0));
}

Status ResourceScatterShape(ShapeContext& c) {
  if (c.input_handles(0).empty()) return OkStatus();
  return CheckRows(c, c.input_handles(0)[0].shape);
}

// Completes the schema of a scatter into a reference variable.
consteval OpFields OfReference(OpFields fields) {
  fields.inputs = "ref: Ref(T), indices: Tindices, updates: T";
  fields.outputs = "output_ref: Ref(T)";
  fields.shape = ScatterShape;
  return fields;
}

// Completes the schema of a scatter into a resource variable.
consteval OpFields OfResource(OpFields fields) {
  fields.inputs = "resource: resource, indices: Tindices, updates: dtype";
  fields.flags = kStateful;
  fields.shape = ResourceScatterShape;
  return fields;
}

}  // namespace

MR_OP(ScatterUpdate){OfReference({
    .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
    .doc = "Sets the rows that indices name.",
})};
MR_OP(ResourceScatterUpdate){OfResource({
    .attrs = "dtype: type; Tindices: {int32, int64}",
    .doc = "ScatterUpdate for resource variables.",
})};
MR_OP(ScatterAdd){OfReference({
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .doc = "Adds to the rows that indices name.",
})};
MR_OP(ResourceScatterAdd){OfResource({
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .doc = "ScatterAdd for resource variables.",
})};
MR_OP(ScatterSub){OfReference({
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .doc = "Subtracts from the rows that indices name.",
})};
MR_OP(ResourceScatterSub){OfResource({
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .doc = "ScatterSub for resource variables.",
})};
MR_OP(ScatterMul){OfReference({
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .doc = "Multiplies the rows that indices name.",
})};
MR_OP(ResourceScatterMul){OfResource({
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .doc = "ScatterMul for resource variables.",
})};
MR_OP(ScatterDiv){OfReference({
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .doc = "Divides the rows that indices name.",
})};
MR_OP(ResourceScatterDiv){OfResource({
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .doc = "ScatterDiv for resource variables.",
})};
MR_OP(ScatterMin){OfReference({
    .attrs = "T: {half, bfloat16, float, double, int32, int64}; Tindices: "
             "{int32, int64}; use_locking: bool = false",
    .doc = "The smaller of each element of the rows that indices name and of "
           "updates.",
})};
MR_OP(ResourceScatterMin){OfResource({
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .doc = "ScatterMin for resource variables.",
})};
MR_OP(ScatterMax){OfReference({
    .attrs = "T: {half, bfloat16, float, double, int32, int64}; Tindices: "
             "{int32, int64}; use_locking: bool = false",
    .doc = "The larger of each element of the rows that indices name and of "
           "updates.",
})};
MR_OP(ResourceScatterMax){OfResource({
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .doc = "ScatterMax for resource variables.",
})};
}  // namespace millrace::ops
