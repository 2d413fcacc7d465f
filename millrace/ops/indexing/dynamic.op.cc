#include <algorithm>

#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

Status DynamicStitchShape(ShapeContext& c) {
  const int n = c.num_inputs() / 2;
  PartialShape rest;
  bool all_known = true;
  int64_t rows = 0;
  for (int i = 0; i < n; ++i) {
    const PartialShape& indices = c.input(i);
    const PartialShape& data = c.input(n + i);
    if (const Tensor* value = c.input_value(i)) {
      for (int64_t j = 0; j < value->num_elements(); ++j) {
        rows = std::max(rows, IntAt(*value, j) + 1);
      }
    } else {
      all_known = false;
    }
    if (!indices.known_rank()) continue;
    MR_RETURN_IF_ERROR(MergePrefix(data, indices).status());
    if (!data.known_rank()) continue;
    MR_ASSIGN_OR_RETURN(
        rest, ShapeContext::MergeShapes(rest, Subshape(data, indices.rank())));
  }
  return c.Return(
      VectorShape(all_known ? rows : kUnknownDim).Concatenate(rest));
}

}  // namespace

MR_OP(DynamicPartition){
    .inputs = "data: T, partitions: int32",
    .outputs = "outputs: num_partitions * T",
    .attrs = "num_partitions: int >= 1; T: type",
    .shape = [](ShapeContext& c) -> Status {
      const PartialShape& partitions = c.input(1);
      MR_ASSIGN_OR_RETURN(PartialShape data,
                          MergePrefix(c.input(0), partitions));
      const PartialShape out =
          partitions.known_rank()
              ? VectorShape().Concatenate(
                    data.known_rank() ? Subshape(data, partitions.rank())
                                      : PartialShape())
              : PartialShape();
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
      return OkStatus();
    },
    .doc =
        "Distributes the rows of `data` over the outputs: row i goes to output "
        "partitions[i].",
};

MR_OP(DynamicStitch){
    .inputs = "indices: N * int32, data: N * T",
    .outputs = "merged: T",
    .attrs = "N: int >= 1; T: type",
    .shape = DynamicStitchShape,
    .doc =
        "Row indices[m][i] of the result is data[m][i]; of several for one row "
        "the last counts, "
        "rows that nothing names are zero.",
};

MR_OP(ParallelDynamicStitch){
    .inputs = "indices: N * int32, data: N * T",
    .outputs = "merged: T",
    .attrs = "N: int >= 1; T: type",
    .shape = DynamicStitchShape,
    .doc = "DynamicStitch whose callers must not name a row twice.",
};

}  // namespace millrace::ops
