#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(AddN){
    .inputs = "inputs: N * T",
    .outputs = "sum: T",
    .attrs =
        "N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, "
        "int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64, variant}",
    .flags = kCommutative | kAggregate,
    .law = Law::kOneInput,
    .shape = shapes::MergeAll,
    .doc = "The sum of tensors of one shape.",
};

MR_OP(AccumulateNV2){
    .inputs = "inputs: N * T",
    .outputs = "sum: T",
    .attrs =
        "N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, "
        "int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
        "complex128, half, uint32, uint64}; shape: shape",
    .flags = kCommutative | kAggregate,
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.Attr<PartialShape>("shape"));
      for (int i = 0; i < c.num_inputs(); ++i) {
        MR_ASSIGN_OR_RETURN(shape,
                            ShapeContext::MergeShapes(shape, c.input(i)));
      }
      return c.Return(shape);
    },
    .doc = "The sum of tensors of the shape `shape`.",
};

}  // namespace millrace::ops
