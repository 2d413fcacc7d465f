#include "millrace/graph/int_rules.h"
#include "millrace/graph/op_decl.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(Const){
    .outputs = "output: dtype",
    .attrs = "value: tensor; dtype: type",
    .role = OpRole::kConstant,
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(Tensor value, c.Attr<Tensor>("value"));
      MR_ASSIGN_OR_RETURN(DataType dtype, c.Attr<DataType>("dtype"));
      if (value.dtype() != dtype) {
        return InvalidArgument("Inconsistent values for attr 'dtype' ",
                               DataTypeName(value.dtype()), " vs. ",
                               DataTypeName(dtype));
      }
      return c.Return(value.shape());
    },
    .ints_of_shapes = int_rules::Constant,
    .doc = "Gives the tensor `value`.",
};

MR_OP(HostConst){
    .outputs = "output: dtype",
    .attrs = "value: tensor; dtype: type",
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(Tensor value, c.Attr<Tensor>("value"));
      return c.Return(value.shape());
    },
    .doc = "Gives the tensor `value`, in the memory of the host.",
};

MR_OP(Fact){
    .outputs = "fact: string",
    .shape = shapes::Scalar,
    .doc = "A fact about factorials.",
};

MR_OP(Fill){
    .inputs = "dims: index_type, value: T",
    .outputs = "output: T",
    .attrs = R"(T: type; index_type: {int32, int64} = "int32")",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
      if (const Tensor* dims = c.input_value(0)) {
        for (int64_t i = 0; i < dims->num_elements(); ++i) {
          if (IntAt(*dims, i) < 0)
            return InvalidArgument("Fill dimensions must be >= 0");
        }
      }
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
      c.set_output_handles(0, c.input_handles(1));
      return c.Return(std::move(shape));
    },
    .ints = int_rules::Fill,
    .doc =
        "A tensor of shape `dims`, every element of which is the scalar "
        "`value`.",
};

MR_OP(ZerosLike){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs = "T: type",
    .shape = shapes::Unchanged,
    .doc = "Zeros (false, empty strings) of the type and shape of `x`.",
};

MR_OP(OnesLike){
    .inputs = "x: T",
    .outputs = "y: T",
    .attrs =
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, "
        "uint32, int64, uint64, complex64, complex128, bool}",
    .shape = shapes::Unchanged,
    .doc = "Ones (true) of the type and shape of `x`.",
};

MR_OP(Empty){
    .inputs = "shape: int32",
    .outputs = "output: dtype",
    .attrs = "dtype: type; init: bool = false",
    .flags = kStateful,
    .shape = [](ShapeContext& c) -> Status {
      MR_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
      return c.Return(std::move(shape));
    },
    .doc =
        "A tensor of the given shape; its elements are zero (without `init` no "
        "caller may rely "
        "on it).",
};

}  // namespace millrace::ops
