#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

StatusOr<std::vector<int>> Permutation(const Tensor& t, int rank) {
  if (t.rank() != 1) {
    return InvalidArgument("perm must be rank 1, got shape ",
                           t.shape().DebugString());
  }
  const std::vector<int64_t> given = IntValues(t);
  if (static_cast<int>(given.size()) != rank) {
    return InvalidArgument("transpose expects a vector of size ", rank,
                           ". But input(1) is a vector of size ", given.size());
  }
  std::vector<int> perm;
  std::vector<bool> seen(given.size());
  for (int64_t d : given) {
    const int64_t from = d < 0 ? d + rank : d;
    if (from < 0 || from >= rank) {
      return InvalidArgument(d, " is out of range [0 .. ", rank, ")");
    }
    seen[from] = true;
    perm.push_back(static_cast<int>(from));
  }
  for (int i = 0; i < rank; ++i) {
    if (!seen[i]) {
      return InvalidArgument(i, " is missing from {", absl::StrJoin(given, ","),
                             "}.");
    }
  }
  return perm;
}

template <class T>
Status ConjugateInPlace(KernelContext& ctx, Tensor* t) {
  T* x = t->mutable_flat<T>().data();
  return ctx.ParallelFor(t->num_elements(), 1, [x](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) x[i] = std::conj(x[i]);
  });
}

enum class Elements { kAsTheyAre, kConjugated };

template <Elements kElements>
Status TransposeKernel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(std::vector<int> perm,
                      Permutation(ctx.input(1), x.rank()));
  const bool conjugate =
      kElements == Elements::kConjugated && IsComplex(x.dtype());
  const DimVector strides = RowMajorStrides(x.shape().dims());
  DimVector dims;
  bool in_order = true;  // for dimensions of more than one element
  int last = -1;
  for (int from : perm) {
    dims.push_back(x.dim(from));
    if (x.dim(from) == 1) continue;
    in_order &= from > last;
    last = from;
  }
  TensorShape shape{absl::Span<const int64_t>(dims)};
  if (in_order && !conjugate) {
    const Tensor taken = ctx.TakeInput(0);
    ctx.set_output(0, taken.Reshaped(std::move(shape)));
    return OkStatus();
  }
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(Tensor * y, ctx.AllocateOutput(0, shape));
  const DimVector out_strides = RowMajorStrides(dims);
  StridedCopySpec spec;
  for (size_t i = 0; i < perm.size(); ++i)
    spec.Add(dims[i], strides[perm[i]], out_strides[i]);
  MR_RETURN_IF_ERROR(
      StridedCopy(ctx, x.dtype(), x.data(), y->mutable_data(), spec));
  if (!conjugate) return OkStatus();
  return x.dtype() == DataType::kComplex64
             ? ConjugateInPlace<Complex64>(ctx, y)
             : ConjugateInPlace<Complex128>(ctx, y);
}

template <class T>
Status Invert(KernelContext& ctx, const Tensor& x) {
  const int64_t n = x.num_elements();
  MR_ASSIGN_OR_RETURN(Tensor * y, ctx.AllocateOutput(0, x.shape()));
  const auto in = x.flat<T>();
  const auto out = y->mutable_flat<T>();
  std::fill(out.begin(), out.end(), T{-1});
  for (int64_t i = 0; i < n; ++i) {
    if (in[i] < 0 || in[i] >= n)
      return InvalidArgument(in[i], " is not between 0 and ", n);
    if (out[in[i]] != -1)
      return InvalidArgument(in[i], " is duplicated in the input.");
    out[in[i]] = static_cast<T>(i);
  }
  return OkStatus();
}

Status InvertPermutationKernel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 1)
    return InvalidArgument("invert_permutation expects a 1D vector.");
  if (x.dtype() == DataType::kInt64) return Invert<int64_t>(ctx, x);
  if (x.num_elements() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(
        "permutation of nonnegative int32s must have <= int32 max elements");
  }
  return Invert<int32_t>(ctx, x);
}

}  // namespace

MR_KERNELS(Transpose, Cpu){
    {.types = "T: " MR_ELEMENT_TYPES,
     .make = MakeFunctionKernel<TransposeKernel<Elements::kAsTheyAre>>,
     .host = "perm",
     .views = "x"}};
MR_KERNELS(ConjugateTranspose, Cpu){
    {.types = "T: " MR_ELEMENT_TYPES,
     .make = MakeFunctionKernel<TransposeKernel<Elements::kConjugated>>,
     .host = "perm"}};
MR_KERNELS(InvertPermutation,
           Cpu){{.make = MakeFunctionKernel<InvertPermutationKernel>}};

}  // namespace millrace::ops
