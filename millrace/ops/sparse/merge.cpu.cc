// Kernels that iterate over two sparse tensors together, in row-major order.
#include <algorithm>
#include <cmath>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct TwoSparse {
  SparseEntries a, b;
};

// Returns INVALID_ARGUMENT unless both operands fit each other.
StatusOr<TwoSparse> ReadBoth(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const SparseEntries a, ReadEntries(ctx, 0));
  MR_ASSIGN_OR_RETURN(const SparseEntries b, ReadEntries(ctx, 3));
  if (a.rank != b.rank) {
    return InvalidArgument("Operands do not have the same ranks; got shapes: ",
                           ctx.input(2).SummarizeValue(kMaxRank), " and ",
                           ctx.input(5).SummarizeValue(kMaxRank));
  }
  for (int d = 0; d < a.rank; ++d) {
    if (a.dims[d] != b.dims[d]) {
      return InvalidArgument("Operands' shapes do not match: got ", a.dims[d],
                             " and ", b.dims[d], " for dimension ", d);
    }
  }
  return TwoSparse{a, b};
}

// Calls f(i, j) for each entry of either tensor: both indices if their
// coordinates are equal, else -1 for the tensor that has no such entry.
template <class F>
void Walk(const SparseEntries& a, const SparseEntries& b, F f) {
  int64_t i = 0;
  int64_t j = 0;
  while (i < a.count || j < b.count) {
    const int order = i == a.count ? 1
                      : j == b.count
                          ? -1
                          : CompareCoordinates(a.at(i), b.at(j), a.rank);
    f(order <= 0 ? i : -1, order >= 0 ? j : -1);
    i += order <= 0;
    j += order >= 0;
  }
}

// The source of an entry of a result: an entry of a or, with a bit set, of b.
struct Source {
  int64_t entry;
  bool from_b;
};

int64_t* CopyRow(const TwoSparse& in, const Source& s, int64_t* z) {
  const int64_t* const row = s.from_b ? in.b.at(s.entry) : in.a.at(s.entry);
  return std::copy_n(row, in.a.rank, z);
}

template <class T>
auto Magnitude(T x) {
  if constexpr (Complex<T> || Real<T>) {
    return std::abs(x);
  } else {
    return x < 0 ? Minus<T>(0, x) : x;
  }
}

template <class T>
Status Add(KernelContext& ctx, const TwoSparse& in) {
  using R = decltype(Magnitude(T()));
  const R threshold = ctx.input(6).scalar<R>();
  const T* const x = in.a.values->flat<T>().data();
  const T* const y = in.b.values->flat<T>().data();
  CountedVector<Source> sources;
  CountedVector<T> sums;
  Walk(in.a, in.b, [&](int64_t i, int64_t j) {
    if (i >= 0 && j >= 0) {
      const T sum = Plus<T>(x[i], y[j]);
      if (!(threshold <= Magnitude(sum))) return;
      sums.push_back(sum);
    } else {
      sums.push_back(i >= 0 ? x[i] : y[j]);
    }
    sources.push_back(i >= 0 ? Source{.entry = i, .from_b = false}
                             : Source{.entry = j, .from_b = true});
  });
  MR_ASSIGN_OR_RETURN(
      const EntriesOutput out,
      AllocateEntries(ctx, 0, 1, static_cast<int64_t>(sums.size()), in.a.rank));
  int64_t* z = out.coordinates;
  for (const Source& s : sources) z = CopyRow(in, s, z);
  std::copy(sums.begin(), sums.end(), out.values->mutable_flat<T>().begin());
  return OkStatus();
}

// Returns INVALID_ARGUMENT unless the indices and values of both operands fit
// each other.
Status CheckTerms(KernelContext& ctx) {
  const TensorShape &a = ctx.input(0).shape(), &b = ctx.input(3).shape();
  const TensorShape &x = ctx.input(1).shape(), &y = ctx.input(4).shape();
  if (a.rank() != 2 || b.rank() != 2) {
    return InvalidArgument(
        "Input indices should be matrices but received shapes: ",
        a.DebugString(), " and ", b.DebugString());
  }
  if (x.rank() != 1 || y.rank() != 1) {
    return InvalidArgument(
        "Input values should be vectors but received shapes: ", x.DebugString(),
        " and ", y.DebugString());
  }
  if (a.dim(0) != x.dim(0) || b.dim(0) != y.dim(0)) {
    return InvalidArgument("Expected ", a.dim(0), " and ", b.dim(0),
                           " non-empty input values, got ", x.dim(0), " and ",
                           y.dim(0));
  }
  if (a.dim(1) != b.dim(1)) {
    return InvalidArgument("Input indices must have the same dimension, got ",
                           a.dim(1), " and ", b.dim(1));
  }
  const TensorShape& p = ctx.input(2).shape();
  const TensorShape& q = ctx.input(5).shape();
  if (p.rank() != 1 || q.rank() != 1) {
    return InvalidArgument(
        "Input shapes should be a vector but received shapes ", p.DebugString(),
        " and ", q.DebugString());
  }
  if (a.dim(1) != p.dim(0)) {
    return InvalidArgument(
        "Second dimension of a_indices and length of a_shape must match, got ",
        a.dim(1), " and ", p.dim(0));
  }
  if (p.dim(0) != q.dim(0)) {
    return InvalidArgument("Operands do not have the same ranks; got shapes: ",
                           ctx.input(2).SummarizeValue(kMaxRank), " and ",
                           ctx.input(5).SummarizeValue(kMaxRank));
  }
  return OkStatus();
}

Status RunSparseAdd(KernelContext& ctx) {
  ctx.set_output(2, ctx.input(2));  // may be a view, which is passed on
  MR_RETURN_IF_ERROR(ctx.BindInput(2));
  MR_RETURN_IF_ERROR(CheckTerms(ctx));
  MR_ASSIGN_OR_RETURN(const TwoSparse in, ReadBoth(ctx));
  if (in.a.rank == 0) return InvalidArgument("Tensors must not be empty");
  if (ctx.input(6).rank() != 0) {
    return InvalidArgument(
        "The magnitude threshold must be a scalar: got shape ",
        ctx.input(6).shape().DebugString());
  }
  return Dispatch<float, double, int8_t, int16_t, int32_t, int64_t, Complex64,
                  Complex128>(ctx.input_type(1),
                              [&]<class T>() { return Add<T>(ctx, in); });
}

// Selects those values of `grad`, which belong to the entries of `sum`, whose
// entries are in `own`; both are in row-major order.
Status TakeGradients(KernelContext& ctx, const Tensor& grad,
                     const SparseEntries& own, const SparseEntries& sum,
                     int output) {
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(output, TensorShape({own.count})));
  MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
  return DispatchBySize(grad.dtype(), [&]<class T>() -> Status {
    const T* const dy = reinterpret_cast<const T*>(grad.data());
    T* const z = reinterpret_cast<T*>(out->mutable_data());
    Walk(own, sum, [&](int64_t i, int64_t k) {
      if (i >= 0 && k >= 0) z[i] = dy[k];
    });
    return OkStatus();
  });
}

Status RunSparseAddGrad(KernelContext& ctx) {
  const Tensor& grad = ctx.input(0);
  SparseEntries lists[3];
  for (int i = 0; i < 3; ++i) {
    const Tensor& indices = ctx.input(i + 1);
    if (indices.rank() != 2) {
      return InvalidArgument(
          "Input indices should be matrices but received shapes: ",
          ctx.input(1).shape().DebugString(), ", ",
          ctx.input(2).shape().DebugString(), " and ",
          ctx.input(3).shape().DebugString());
    }
    if (indices.dim(1) != ctx.input(1).dim(1) || indices.dim(1) > kMaxRank) {
      return InvalidArgument(
          "The densified operands should have the same ndims; got: ",
          ctx.input(1).shape().DebugString(), " and ",
          indices.shape().DebugString());
    }
    lists[i].coordinates = indices.flat<int64_t>().data();
    lists[i].count = indices.dim(0);
    lists[i].rank = static_cast<int>(indices.dim(1));
  }
  if (grad.rank() != 1) {
    return InvalidArgument(
        "Input backprop_val_grad should be a vector but received shape: ",
        grad.shape().DebugString());
  }
  if (grad.dim(0) != lists[2].count) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of sum_indices should "
        "match (#nnz of sum): got ",
        grad.dim(0), " and ", lists[2].count);
  }
  MR_RETURN_IF_ERROR(TakeGradients(ctx, grad, lists[0], lists[2], 0));
  return TakeGradients(ctx, grad, lists[1], lists[2], 1);
}

// Returns INVALID_ARGUMENT unless inputs first to first + 2 are a sparse tensor
// whose indices are all in bounds.
Status CheckOperand(KernelContext& ctx, int first) {
  MR_ASSIGN_OR_RETURN(const SparseEntries in,
                      ReadEntries(ctx, first, kSparseWords));
  return CheckTuples(in);
}

template <bool kMax>
Status RunSparseExtreme(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckOperand(ctx, 0));
  MR_RETURN_IF_ERROR(CheckOperand(ctx, 3));
  MR_ASSIGN_OR_RETURN(const TwoSparse in, ReadBoth(ctx));
  CountedVector<Source> sources;
  Walk(in.a, in.b, [&](int64_t i, int64_t j) {
    sources.push_back(i >= 0 ? Source{.entry = i, .from_b = false}
                             : Source{.entry = j, .from_b = true});
  });
  MR_ASSIGN_OR_RETURN(
      const EntriesOutput out,
      AllocateEntries(ctx, 0, 1, static_cast<int64_t>(sources.size()),
                      in.a.rank));
  int64_t* row = out.coordinates;
  for (const Source& s : sources) row = CopyRow(in, s, row);
  return Dispatch(RealTypes{}, ctx.input_type(1), [&]<class T>() -> Status {
    using S = ComputeType<T>;
    const T* const x = in.a.values->flat<T>().data();
    const T* const y = in.b.values->flat<T>().data();
    T* z = out.values->mutable_flat<T>().data();
    Walk(in.a, in.b, [&](int64_t i, int64_t j) {
      const S left = i >= 0 ? static_cast<S>(x[i]) : S(0);
      const S right = j >= 0 ? static_cast<S>(y[j]) : S(0);
      *z++ = static_cast<T>(kMax ? Larger<S>(left, right)
                                 : Smaller<S>(left, right));
    });
    return OkStatus();
  });
}

}  // namespace

#define MR_ADD(T, Treal)                                         \
  {                                                              \
    .types = "T: " T "; Treal: " Treal,                          \
    .make = MakeFunctionKernel<RunSparseAdd>, .views = "a_shape" \
  }

MR_KERNELS(SparseAdd, Cpu){
    MR_ADD("float", "float"),     MR_ADD("double", "double"),
    MR_ADD("int64", "int64"),     MR_ADD("int32", "int32"),
    MR_ADD("int16", "int16"),     MR_ADD("int8", "int8"),
    MR_ADD("complex64", "float"), MR_ADD("complex128", "double")};
MR_KERNELS(SparseAddGrad, Cpu){
    {.types =
         "T: complex128, complex64, double, float, int16, int32, int64, int8",
     .make = MakeFunctionKernel<RunSparseAddGrad>}};
MR_KERNELS(SparseSparseMaximum,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunSparseExtreme<true>>}};
MR_KERNELS(SparseSparseMinimum,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeFunctionKernel<RunSparseExtreme<false>>}};

}  // namespace millrace::ops
