// Sparse tensors by number and as strings, and batches of both.
#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

// Inputs 0 to 2 are a sparse tensor.
Status CheckSparse(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  return c.WithRank(2, 1).status();
}

Status SparseTo(ShapeContext& c, PartialShape shape) {
  MR_RETURN_IF_ERROR(CheckSparse(c));
  return c.Return(std::move(shape));
}

Status ReturnSparse(ShapeContext& c) {
  c.set_output(0, PartialShape({kUnknownDim, kUnknownDim}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({kUnknownDim}));
  return OkStatus();
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_SPARSE_INPUTS \
  "sparse_indices: int64, sparse_values: T, sparse_shape: int64"
#define MR_SPARSE_OUTPUTS \
  "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64"
#define MR_MAP_NAME "; container: string = ''; shared_name: string = ''"

MR_OP(AddSparseToTensorsMap){
    .inputs = MR_SPARSE_INPUTS,
    .outputs = "sparse_handle: int64",
    .attrs = "T: type" MR_MAP_NAME,
    .flags = kStateful,
    .shape = [](ShapeContext& c) { return SparseTo(c, PartialShape({})); },
    .doc = "Keeps a sparse tensor; its number stands for it.",
};
MR_OP(AddManySparseToTensorsMap){
    .inputs = MR_SPARSE_INPUTS,
    .outputs = "sparse_handles: int64",
    .attrs = "T: type" MR_MAP_NAME,
    .flags = kStateful,
    .shape =
        [](ShapeContext& c) {
          return SparseTo(c, PartialShape({kUnknownDim}));
        },
    .doc = "Keeps the rows of a sparse tensor, each by its number.",
};
MR_OP(TakeManySparseFromTensorsMap){
    .inputs = "sparse_handles: int64",
    .outputs = MR_SPARSE_OUTPUTS,
    .attrs = "dtype: type" MR_MAP_NAME,
    .flags = kStateful,
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
      return ReturnSparse(c);
    },
    .doc = "Takes kept sparse tensors out, as one with a dimension more.",
};
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
      MR_ASSIGN(const PartialShape serialized, c.WithRank(0, 2));
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
