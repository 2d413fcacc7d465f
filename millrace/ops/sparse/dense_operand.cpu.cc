// Kernels of ops with a sparse and a dense operand.
#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

enum class Cwise { kAdd, kMul, kDiv };

// Returns, for each dimension of the sparse shape, the stride in the dense
// tensor: 0 where it is broadcast.
StatusOr<DimVector> DenseSteps(const SparseEntries& in, const TensorShape& d) {
  const DimVector dense = d.dims();
  const DimVector strides = RowMajorStrides(dense);
  const int added = in.rank - d.rank();
  DimVector steps(static_cast<size_t>(in.rank));
  bool fits = added >= 0;
  for (int i = 0; i < d.rank() && fits; ++i) {
    fits = dense[i] == 1 ? in.dims[added + i] >= 1
                         : dense[i] == in.dims[added + i];
    steps[added + i] = dense[i] == 1 ? 0 : strides[i];
  }
  if (!fits) {
    return InvalidArgument(
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
        "incompatible shapes: [",
        absl::StrJoin(in.dims, ","), "] vs. [", absl::StrJoin(dense, ","), "]");
  }
  return steps;
}

template <Cwise kOp, class S>
S Combine(S a, S b) {
  if constexpr (kOp == Cwise::kAdd) {
    return Plus<S>(a, b);
  } else if constexpr (kOp == Cwise::kMul) {
    return Times<S>(a, b);
  } else if constexpr (std::is_integral_v<S>) {
    return Quotient<S>(a, b);
  } else {
    return a / b;
  }
}

template <Cwise kOp>
Status RunSparseDenseCwise(KernelContext& ctx) {
  const Tensor& dense = ctx.input(3);
  MR_ASSIGN_OR_RETURN(
      const SparseEntries in,
      ReadEntries(ctx, 0, {PartWords::kOperand, SizeWords::kOperand}));
  if (in.rank == 0) {
    return InvalidArgument("The shape argument requires at least one element.");
  }
  MR_RETURN_IF_ERROR(DenseShape(in.dims).status());
  MR_ASSIGN_OR_RETURN(const DimVector steps, DenseSteps(in, dense.shape()));
  const Status inside = in.CheckInside();
  if (!inside.ok()) {
    return InvalidArgument(
        "Provided indices are out-of-bounds w.r.t. dense side with broadcasted "
        "shape: ",
        inside.message());
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({in.count})));
  return Dispatch(RealTypes{}, out->dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* const x = in.values->flat<T>().data();
    const T* const y = dense.flat<T>().data();
    T* const z = out->mutable_flat<T>().data();
    for (int64_t i = 0; i < in.count; ++i) {
      int64_t place = 0;
      for (int d = 0; d < in.rank; ++d) place += in.at(i)[d] * steps[d];
      const S divisor = static_cast<S>(y[place]);
      if constexpr (kOp == Cwise::kDiv && std::is_integral_v<T>) {
        if (divisor == 0) return InvalidArgument("Integer division by zero");
      }
      z[i] = static_cast<T>(Combine<kOp, S>(static_cast<S>(x[i]), divisor));
    }
    return OkStatus();
  });
}

Status RunSparseTensorDenseAdd(KernelContext& ctx) {
  const Tensor& indices = ctx.input(0);
  const Tensor& values = ctx.input(1);
  const Tensor& shape = ctx.input(2);
  const TensorShape dense = ctx.input(3).shape();
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input a_indices should be a matrix but received shape: ",
        indices.shape().DebugString());
  }
  if (values.rank() != 1 || shape.rank() != 1) {
    return InvalidArgument(
        "Inputs a_values and a_shape should be vectors but received shapes: ",
        values.shape().DebugString(), " and ", shape.shape().DebugString());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "Dimensions ", indices.dim(0), " and ", values.dim(0),
        " are not compatible: rows of a_indices and a_values");
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("Dimensions ", indices.dim(1), " and ", shape.dim(0),
                           " are not compatible: columns of a_indices and the "
                           "rank that a_shape has");
  }
  if (shape.num_elements() != dense.rank()) {
    return InvalidArgument("Two operands have different ranks; received: ",
                           shape.num_elements(), " and ", dense.rank());
  }
  const std::vector<int64_t> dims = IntValues(shape);
  for (int d = 0; d < dense.rank(); ++d) {
    if (dims[d] != dense.dim(d)) {
      return InvalidArgument(
          "Dimension ", d,
          " does not equal (no broadcasting is supported): sparse side ",
          dims[d], " vs dense side ", dense.dim(d));
    }
  }
  // All indices have been checked before anything is written.
  const CountedVector<int64_t> coordinates = ManyIntValues(indices);
  const DimVector strides = RowMajorStrides(dims);
  CountedVector<int64_t> places(static_cast<size_t>(values.dim(0)));
  for (size_t i = 0; i < places.size(); ++i) {
    const auto row =
        absl::MakeConstSpan(coordinates).subspan(i * dims.size(), dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      if (row[d] < 0 || row[d] >= dims[d]) {
        return InvalidArgument(
            "Sparse tensor has an invalid index on dimension ", d,
            ": a_indices(", i, ",", d, ") = ", row[d],
            ", dense tensor shape: ", absl::StrJoin(dims, " "));
      }
      places[i] += row[d] * strides[d];
    }
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.ForwardOrAllocateOutput({3}, 0, dense));
  const Tensor& b = ctx.input(3);
  if (b.data() != out->data()) {
    CopyElements(b.dtype(), b.data(), 0, out->mutable_data(), 0,
                 b.num_elements());
  }
  return Dispatch(NumericTypes{}, out->dtype(), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* const x = values.flat<T>().data();
    T* const z = out->mutable_flat<T>().data();
    for (size_t i = 0; i < places.size(); ++i) {
      T& sum = z[places[i]];
      sum = static_cast<T>(Plus<S>(static_cast<S>(sum), static_cast<S>(x[i])));
    }
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(SparseDenseCwiseAdd,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunSparseDenseCwise<Cwise::kAdd>>}};
MR_KERNELS(SparseDenseCwiseMul,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunSparseDenseCwise<Cwise::kMul>>}};
MR_KERNELS(SparseDenseCwiseDiv,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunSparseDenseCwise<Cwise::kDiv>>}};
MR_KERNELS(SparseTensorDenseAdd,
           Cpu){{.types = "T: " MR_NUMBER_TYPES,
                 .make = MakeFunctionKernel<RunSparseTensorDenseAdd>}};

}  // namespace millrace::ops
