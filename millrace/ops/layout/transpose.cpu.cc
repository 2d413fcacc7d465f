#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

StatusOr<std::vector<int>> Permutation(const Tensor& t, int rank) {
  if (t.rank() != 1) {
    return InvalidArgument("perm must be rank 1, got shape ",
                           t.shape().DebugString());
  }
  if (t.num_elements() != rank) {
    return InvalidArgument("transpose expects a vector of size ", rank,
                           ". But input(1) is a vector of size ",
                           t.num_elements());
  }
  const std::vector<int64_t> given = IntValues(t);
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

// What a transpose does: the shape of its output, and the copy.
struct TransposePlan {
  TensorShape shape;
  StridedCopySpec copy;
  bool in_order = true;  // for dimensions of more than one element
};

StatusOr<TransposePlan> PlanTranspose(const Tensor& x, const Tensor& perm) {
  MR_ASSIGN_OR_RETURN(const std::vector<int> from, Permutation(perm, x.rank()));
  const DimVector strides = RowMajorStrides(x.shape().dims());
  TransposePlan plan;
  DimVector dims;
  int last = -1;
  for (int d : from) {
    dims.push_back(x.dim(d));
    if (x.dim(d) == 1) continue;
    plan.in_order &= d > last;
    last = d;
  }
  const DimVector out_strides = RowMajorStrides(dims);
  for (size_t i = 0; i < from.size(); ++i) {
    plan.copy.Add(dims[i], strides[from[i]], out_strides[i]);
  }
  plan.shape = TensorShape(absl::Span<const int64_t>(dims));
  return plan;
}

StatusOr<Tensor*> CopyAsPlanned(KernelContext& ctx, const Mover& mover,
                                const TransposePlan& plan) {
  MR_RETURN_IF_ERROR(ctx.BindInput(0));
  MR_ASSIGN_OR_RETURN(Tensor* const y, ctx.AllocateOutput(0, plan.shape));
  MR_RETURN_IF_ERROR(mover.Copy(ctx, ctx.input(0), y, plan.copy));
  return y;
}

}  // namespace

Status RunTranspose(KernelContext& ctx, const Mover& mover) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(TransposePlan plan, PlanTranspose(x, ctx.input(1)));
  if (!plan.in_order) return CopyAsPlanned(ctx, mover, plan).status();
  const Tensor taken = ctx.TakeInput(0);
  ctx.set_output(0, taken.Reshaped(std::move(plan.shape)));
  return OkStatus();
}

StatusOr<Tensor*> TransposedCopy(KernelContext& ctx, const Mover& mover) {
  MR_ASSIGN_OR_RETURN(const TransposePlan plan,
                      PlanTranspose(ctx.input(0), ctx.input(1)));
  return CopyAsPlanned(ctx, mover, plan);
}

namespace {

Status ConjugateTransposeKernel(KernelContext& ctx) {
  const DataType type = ctx.input(0).dtype();
  if (!IsComplex(type)) return RunTranspose(ctx, CpuMover());
  MR_ASSIGN_OR_RETURN(Tensor* const y, TransposedCopy(ctx, CpuMover()));
  return type == DataType::kComplex64 ? ConjugateInPlace<Complex64>(ctx, y)
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

MR_KERNELS(Transpose, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                            .make = MakeOnCpu<MoveBy<RunTranspose>>,
                            .host = "perm",
                            .views = "x"}};
MR_KERNELS(ConjugateTranspose,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                 .make = MakeFunctionKernel<ConjugateTransposeKernel>,
                 .host = "perm"}};
MR_KERNELS(InvertPermutation,
           Cpu){{.make = MakeFunctionKernel<InvertPermutationKernel>}};

}  // namespace millrace::ops
