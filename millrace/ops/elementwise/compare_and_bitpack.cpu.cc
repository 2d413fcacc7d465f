#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T>
uint8_t PackedByte(const T* elements, ComputeType<T> threshold) {
  unsigned byte = 0;
  for (int i = 0; i < 8; ++i) {
    const bool greater = static_cast<ComputeType<T>>(elements[i]) > threshold;
    byte = byte << 1 | (greater ? 1u : 0u);
  }
  return static_cast<uint8_t>(byte);
}

Status RunCompareAndBitpack(KernelContext& ctx) {
  const Tensor& input = ctx.input(0);
  const Tensor& threshold = ctx.input(1);
  if (threshold.rank() != 0) {
    return InvalidArgument("Compare must be a scalar, but saw shape: ",
                           threshold.shape().DebugString());
  }
  if (input.rank() == 0) {
    return InvalidArgument(
        "Input should be at least a vector, but saw a scalar.");
  }
  DimVector dims = input.shape().dims();
  if (dims.back() % 8 != 0) {
    return InvalidArgument(
        "Inner dimension of input should be divisible by 8, but saw shape: ",
        input.shape().DebugString());
  }
  dims.back() /= 8;
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, std::move(shape)));
  uint8_t* const to = out->mutable_flat<uint8_t>().data();
  return Dispatch(
      Join<Types<bool, Half, float, double>, SignedTypes>{}, input.dtype(),
      [&]<class T>() -> Status {
        const T* from = input.flat<T>().data();
        const auto limit = static_cast<ComputeType<T>>(threshold.scalar<T>());
        return ctx.ParallelFor(out->num_elements(), 8,
                               [&](int64_t begin, int64_t end) {
                                 for (int64_t i = begin; i < end; ++i) {
                                   to[i] = PackedByte<T>(from + 8 * i, limit);
                                 }
                               });
      });
}

}  // namespace

MR_KERNELS(CompareAndBitpack, Cpu){
    {.types = "T: bool, half, float, double, int8, int16, int32, int64",
     .make = MakeFunctionKernel<RunCompareAndBitpack>}};

}  // namespace millrace::ops
