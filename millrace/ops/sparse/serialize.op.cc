// Schemas of sparse tensors as strings or variants.
#include "millrace/ops/sparse/sparse_tensor.op.h"

namespace millrace::ops {

MR_OP(SerializeSparse){
    .inputs = MR_SPARSE_INPUTS,
    .outputs = "serialized_sparse: out_type",
    .attrs = "T: type; out_type: {string, variant} = string",
    .shape = [](ShapeContext& c) { return SparseTo(c, PartialShape({3})); },
    .doc = "A sparse tensor as three strings, or three variants.",
};
MR_OP(SerializeManySparse){
    .inputs = MR_SPARSE_INPUTS,
    .outputs = "serialized_sparse: out_type",
    .attrs = "T: type; out_type: {string, variant} = string",
    .shape =
        [](ShapeContext& c) {
          return SparseTo(c, PartialShape({kUnknownDim, 3}));
        },
    .doc = "Each row of a sparse tensor as three strings, or three variants.",
};
MR_OP(DeserializeManySparse){
    .inputs = "serialized_sparse: string",
    .outputs = MR_SPARSE_OUTPUTS,
    .attrs = "dtype: type",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const PartialShape serialized, c.WithRank(0, 2));
      MR_RETURN_IF_ERROR(
          ShapeContext::WithValue(serialized.dim(1), 3).status());
      return ReturnSparse(c);
    },
    .doc = "Serialized sparse tensors as one with a dimension more.",
};
MR_OP(DeserializeSparse){
    .inputs = "serialized_sparse: Tserialized",
    .outputs = MR_SPARSE_OUTPUTS,
    .attrs = "dtype: type; Tserialized: {string, variant} = string",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
      MR_RETURN_IF_ERROR(
          ShapeContext::WithValue(ShapeContext::Dim(c.input(0), -1), 3)
              .status());
      return ReturnSparse(c);
    },
    .doc =
        "Serialized sparse tensors as one, with their dimensions but the last "
        "in front.",
};

}  // namespace millrace::ops
