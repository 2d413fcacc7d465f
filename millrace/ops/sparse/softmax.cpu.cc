#include <algorithm>
#include <cmath>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status RunSparseSoftmax(KernelContext& ctx) {
  const Tensor& shape = ctx.input(2);
  if (shape.rank() == 1 && shape.dim(0) < 2) {
    return InvalidArgument("Input should have rank >= 2, but received shape: ",
                           shape.SummarizeValue(3));
  }
  MR_ASSIGN_OR_RETURN(
      const SparseEntries in,
      ReadEntries(ctx, 0, {PartWords::kOperand, SizeWords::kTensor}));
  MR_RETURN_IF_ERROR(DenseShape(in.dims).status());
  const CountedVector<int64_t> order = RowMajorOrder(in);
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({in.count})));
  return Dispatch<float, double, Half>(out->dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* const x = in.values->flat<T>().data();
    T* const z = out->mutable_flat<T>().data();
    for (size_t begin = 0, end; begin < order.size(); begin = end) {
      S largest = static_cast<S>(x[order[begin]]);
      for (end = begin + 1;
           end < order.size() &&
           CompareCoordinates(in.at(order[begin]), in.at(order[end]),
                              in.rank - 1) == 0;
           ++end) {
        largest = std::max(largest, static_cast<S>(x[order[end]]));
      }
      S sum = 0;
      for (size_t i = begin; i < end; ++i) {
        sum += std::exp(static_cast<S>(x[order[i]]) - largest);
      }
      for (size_t i = begin; i < end; ++i) {
        z[i] = static_cast<T>(std::exp(static_cast<S>(x[order[i]]) - largest) /
                              sum);
      }
    }
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(SparseSoftmax, Cpu){{.make = MakeFunctionKernel<RunSparseSoftmax>}};

}  // namespace millrace::ops
