#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

// updates.shape = indices.shape + variable.shape[1:], or a scalar.
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

Status ResourceGatherShape(ShapeContext& c) {
  PartialShape params;
  if (!c.input_handles(0).empty()) params = c.input_handles(0)[0].shape;
  const PartialShape& indices = c.input(1);
  MR_ASSIGN(const int64_t batch_dims, c.Attr<int64_t>("batch_dims"));
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
    .flags = kStateful,
    .shape = ResourceGatherShape,
    .doc = "Rows of a resource variable, read without taking all of it.",
};

MR_OP(ScatterUpdate){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs = "T: type; Tindices: {int32, int64}; use_locking: bool = true",
    .shape = ScatterShape,
    .doc = "Sets the rows that indices name.",
};

MR_OP(ResourceScatterUpdate){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: type; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterUpdate for resource variables.",
};

MR_OP(ScatterAdd){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = ScatterShape,
    .doc = "Adds to the rows that indices name.",
};

MR_OP(ResourceScatterAdd){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterAdd for resource variables.",
};

MR_OP(ScatterSub){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = ScatterShape,
    .doc = "Subtracts from the rows that indices name.",
};

MR_OP(ResourceScatterSub){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterSub for resource variables.",
};

MR_OP(ScatterMul){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = ScatterShape,
    .doc = "Multiplies the rows that indices name.",
};

MR_OP(ResourceScatterMul){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterMul for resource variables.",
};

MR_OP(ScatterDiv){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs =
        "T: numbertype; Tindices: {int32, int64}; use_locking: bool = false",
    .shape = ScatterShape,
    .doc = "Divides the rows that indices name.",
};

MR_OP(ResourceScatterDiv){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterDiv for resource variables.",
};

MR_OP(ScatterMin){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs =
        "T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, "
        "int64}; use_locking: bool = false",
    .shape = ScatterShape,
    .doc =
        "The smaller of each element of the rows that indices name and of "
        "updates.",
};

MR_OP(ResourceScatterMin){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterMin for resource variables.",
};

MR_OP(ScatterMax){
    .inputs = "ref: Ref(T), indices: Tindices, updates: T",
    .outputs = "output_ref: Ref(T)",
    .attrs =
        "T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, "
        "int64}; use_locking: bool = false",
    .shape = ScatterShape,
    .doc =
        "The larger of each element of the rows that indices name and of "
        "updates.",
};

MR_OP(ResourceScatterMax){
    .inputs = "resource: resource, indices: Tindices, updates: dtype",
    .attrs = "dtype: numbertype; Tindices: {int32, int64}",
    .flags = kStateful,
    .shape = ResourceScatterShape,
    .doc = "ScatterMax for resource variables.",
};

}  // namespace millrace::ops
