#include "millrace/graph/op_decl.h"
#include "millrace/ops/ragged/row_partition.op.h"

namespace millrace::ops {

MR_OP(RaggedTensorToTensor){
    .inputs =
        "shape: Tshape, values: T, default_value: T, row_partition_tensors: "
        "num_row_partition_tensors * Tindex",
    .outputs = "result: T",
    .attrs =
        "T: type; Tindex: {int64, int32}; Tshape: {int64, int32}; "
        "num_row_partition_tensors: int >= 1; row_partition_types: "
        "list(string)",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(const auto names,
                          c.Attr<AttrValue::StringList>("row_partition_types"));
      MR_ASSIGN_OR_RETURN(const auto partitions,
                          ReadRowPartitions(names, c.num_inputs() - 3));
      if (c.input(0).known_rank() && c.input(0).rank() == 0 &&
          c.input_value(0) == nullptr) {
        return InvalidArgument(
            "Received a shape scalar with unknown static value.  A static "
            "value of '-1' is required to represent an unknown shape.");
      }
      MR_ASSIGN_OR_RETURN(const PartialShape asked, c.ShapeFromInput(0));
      MR_RETURN_IF_ERROR(CheckDefaultShape(c.input(2), c.input(1)));
      MR_ASSIGN_OR_RETURN(
          PartialShape shape,
          CombineRaggedShape(RaggedDims(partitions), asked, c.input(1)));
      return c.Return(std::move(shape));
    },
    .doc =
        "A ragged tensor as a dense one: rows are cut, or filled up with the "
        "default value.",
};

}  // namespace millrace::ops
