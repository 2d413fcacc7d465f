// Schemas of sparse tensors that are kept by number.
#include "millrace/ops/sparse/sparse_tensor.op.h"

namespace millrace::ops {

#define MR_MAP_NAME "; container: string = ''; shared_name: string = ''"

MR_OP(AddSparseToTensorsMap){
    .inputs = MR_SPARSE_INPUTS,
    .outputs = "sparse_handle: int64",
    .attrs = "T: type" MR_MAP_NAME,
    .flags = kStateful | kKeepsInputs,
    .shape = [](ShapeContext& c) { return SparseTo(c, PartialShape({})); },
    .doc = "Keeps a sparse tensor; its number stands for it.",
};
MR_OP(AddManySparseToTensorsMap){
    .inputs = MR_SPARSE_INPUTS,
    .outputs = "sparse_handles: int64",
    .attrs = "T: type" MR_MAP_NAME,
    .flags = kStateful | kKeepsInputs,
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

}  // namespace millrace::ops
