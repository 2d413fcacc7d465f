#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(Shape){
    .inputs = "input: T",
    .outputs = "output: out_type",
    .attrs = R"(T: type; out_type: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      return c.Return(VectorShape(c.input(0).rank()));
    },
    .ints_of_shapes = int_rules::Shape,
    .doc = "The sizes of the dimensions of `input`.",
};

MR_OP(ShapeN){
    .inputs = "input: N * T",
    .outputs = "output: N * out_type",
    .attrs = R"(N: int >= 1; T: type; out_type: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      for (int i = 0; i < c.num_inputs(); ++i)
        c.set_output(i, VectorShape(c.input(i).rank()));
      return OkStatus();
    },
    .ints_of_shapes = int_rules::Shape,
    .doc = "The shapes of several tensors.",
};

MR_OP(Size){
    .inputs = "input: T",
    .outputs = "output: out_type",
    .attrs = R"(T: type; out_type: {int32, int64} = "int32")",
    .shape = shapes::Scalar,
    .ints_of_shapes = int_rules::Size,
    .doc = "The number of elements of `input`.",
};

MR_OP(Rank){
    .inputs = "input: T",
    .outputs = "output: int32",
    .attrs = "T: type",
    .shape = shapes::Scalar,
    .ints_of_shapes = int_rules::Rank,
    .doc = "The number of dimensions of `input`.",
};

}  // namespace millrace::ops
