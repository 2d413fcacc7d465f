#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/wire.h"

namespace millrace::ops {
namespace {

Status RunParse(KernelContext& ctx) {
  const Tensor& serialized = ctx.input(0);
  if (serialized.rank() != 0) {
    return InvalidArgument("Expected `serialized` to be a scalar, got shape: ",
                           serialized.shape().DebugString());
  }
  StatusOr<Tensor> tensor =
      DecodeTensor(serialized.scalar<StringElement>().view(), ctx.allocator());
  if (tensor.status().code() == StatusCode::kInvalidArgument) {
    return Prefix("Could not parse `serialized` as TensorProto: ",
                  tensor.status());
  }
  MR_RETURN_IF_ERROR(tensor.status());
  if (tensor->dtype() != ctx.output_type(0)) {
    return InvalidArgument("Type mismatch between parsed tensor (",
                           DataTypeName(tensor->dtype()), ") and dtype (",
                           DataTypeName(ctx.output_type(0)), ")");
  }
  ctx.set_output(0, *std::move(tensor));
  return OkStatus();
}

Status RunSerialize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const ByteChunks bytes,
                      EncodeTensor(ctx.input(0), StringForm::kValues));
  ctx.set_output(0, Tensor::Scalar<std::string>(bytes.Flatten()));
  return OkStatus();
}

}  // namespace

MR_KERNELS(ParseTensor, Cpu){{.make = MakeFunctionKernel<RunParse>}};
MR_KERNELS(SerializeTensor, Cpu){
    {.types = "T: half, bfloat16, float, double, int8, int16, int32, int64, "
              "uint8, uint16, uint32, uint64, complex64, complex128, bool, "
              "string, resource, variant",
     .make = MakeFunctionKernel<RunSerialize>}};

}  // namespace millrace::ops
