#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/reduction/compound_variant.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Keeps a reference to the value, so that no other kernel takes its buffer
// over.
struct ConstKernel {
  static StatusOr<ConstKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(Tensor value, init.Attr<Tensor>("value"));
    if (value.dtype() != init.output_type(0)) {
      return InvalidArgument("Type mismatch between value (",
                             DataTypeName(value.dtype()), ") and dtype (",
                             DataTypeName(init.output_type(0)), ")");
    }
    return ConstKernel{std::move(value)};
  }
  Status Run(KernelContext& ctx) const {
    ctx.set_output(0, value);
    return OkStatus();
  }
  Tensor value;
};

Status FactKernel(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar("0! == 1"));
  return OkStatus();
}

Status FillKernel(KernelContext& ctx) {
  const Tensor& dims = ctx.input(0);
  const Tensor& value = ctx.input(1);
  if (dims.rank() > 1) {
    return InvalidArgument("dims must represent a vector, got shape ",
                           dims.shape().DebugString());
  }
  if (value.rank() > 1 || value.num_elements() != 1) {
    return InvalidArgument("value must represent a scalar, got shape ",
                           value.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(IntValues(dims)));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  return FillTensor(ctx, out, value.data());
}

Status ZerosLikeKernel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.dtype() == DataType::kVariant) {
    if (x.rank() != 0) {
      return InvalidArgument(
          "ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not "
          "supported.");
    }
    const VariantElement& element = x.scalar<VariantElement>();
    if (!element) return InvalidArgument("ZerosLike of an empty variant");
    MR_ASSIGN_OR_RETURN(VariantElement zeros,
                        ZerosOfVariant(*element, ctx.allocator()));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, TensorShape()));
    out->mutable_flat<VariantElement>()[0] = std::move(zeros);
    return OkStatus();
  }
  if (!IsPlain(x.dtype())) return ctx.AllocateOutput(0, x.shape()).status();
  MR_ASSIGN_OR_RETURN(Tensor * out,
                      ctx.ForwardOrAllocateOutput({0}, 0, x.shape()));
  return ZeroTensor(ctx, out);
}

Status OnesLikeKernel(KernelContext& ctx) {
  const TensorShape shape = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.ForwardOrAllocateOutput({0}, 0, shape));
  return Dispatch(Join<NumericTypes, Types<bool>>{}, out->dtype(),
                  [&]<class T>() -> Status {
                    const T one = static_cast<T>(1);
                    return FillTensor(ctx, out,
                                      reinterpret_cast<const char*>(&one));
                  });
}

Status EmptyKernel(KernelContext& ctx) {
  const Tensor& dims = ctx.input(0);
  if (dims.rank() != 1) {
    return InvalidArgument("shape must be a vector of int32, got shape ",
                           dims.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(IntValues(dims)));
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  // Fills the buffer even without `init`, so that the data of another step does
  // not leak.
  return ZeroTensor(ctx, out);
}

}  // namespace

MR_KERNELS(Const, Cpu){{.make = MakeKernel<ConstKernel>, .cheap = true}};
MR_KERNELS(HostConst, Cpu){
    {.make = MakeKernel<ConstKernel>, .host = "output", .cheap = true}};
MR_KERNELS(Fact, Cpu){
    {.make = MakeFunctionKernel<FactKernel>, .host = "fact", .cheap = true}};
MR_KERNELS(Fill, Cpu){{.types = "T: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_TYPES,
                       .make = MakeFunctionKernel<FillKernel>,
                       .host = "dims"}};
MR_KERNELS(ZerosLike,
           Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES ", variant",
                 .make = MakeFunctionKernel<ZerosLikeKernel>}};
MR_KERNELS(OnesLike, Cpu){{.types = "T: " MR_PLAIN_TYPES,
                           .make = MakeFunctionKernel<OnesLikeKernel>}};
MR_KERNELS(Empty, Cpu){{.types = "dtype: " MR_PLAIN_AND_STRING_TYPES,
                        .make = MakeFunctionKernel<EmptyKernel>,
                        .host = "shape"}};

}  // namespace millrace::ops
