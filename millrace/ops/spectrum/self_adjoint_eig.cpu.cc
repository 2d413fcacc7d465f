#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/linalg/batch.h"
#include "millrace/ops/spectrum/self_adjoint.h"

namespace millrace::ops {
namespace {

// Says whether values and vectors are separate outputs, or rows of one output.
enum class Results { kApart, kJoined };

template <Results kResults>
class SelfAdjointEigKernel {
 public:
  static StatusOr<SelfAdjointEigKernel> Make(const KernelInit& init) {
    SelfAdjointEigKernel k;
    if constexpr (!kJoined) {
      MR_ASSIGN_OR_RETURN(k.vectors_, init.Attr<bool>("compute_v"));
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const MatrixBatch b, ReadSquareBatch(x));
    const int64_t n = b.rows;
    Tensor* values = nullptr;
    Tensor* vectors = nullptr;
    if (kJoined) {
      MR_ASSIGN_OR_RETURN(values, AllocateBatch(ctx, 0, b, {n + 1, n}));
    } else {
      MR_ASSIGN_OR_RETURN(values, AllocateBatch(ctx, 0, b, {n}));
      if (vectors_) {
        MR_ASSIGN_OR_RETURN(vectors, AllocateBatch(ctx, 1, b, {n, n}));
      } else {
        MR_ASSIGN_OR_RETURN(vectors, ctx.AllocateOutput(1, TensorShape({0})));
      }
    }
    if (x.num_elements() == 0) return OkStatus();
    return Dispatch(MatrixTypes{}, x.dtype(), [&]<class T>() -> Status {
      const T* from = x.flat<T>().data();
      T* to = values->mutable_flat<T>().data();
      T* to_v =
          kJoined || !vectors_ ? nullptr : vectors->mutable_flat<T>().data();
      const int64_t step = kJoined ? n * (n + 1) : n;
      return ForMatrices(
          ctx, b.count, 3 * n,
          "Self-adjoint eigen decomposition was not successful. The input "
          "might not be valid.",
          [&](int64_t i, StopFlag& stop) {
            CountedVector<RealType<T>> list;
            Matrix<T> vt;
            if (!FactorSelfAdjoint(ReadMatrix<T>(from + i * n * n, n, n), &list,
                                   vectors_ ? &vt : nullptr, stop)) {
              return false;
            }
            for (int64_t k = 0; k < n; ++k) to[i * step + k] = T(list[k]);
            if (vectors_) {
              WriteMatrix(vt.Transposed(), n, n,
                          kJoined ? to + i * step + n : to_v + i * n * n);
            }
            return true;
          });
    });
  }

 private:
  static constexpr bool kJoined = kResults == Results::kJoined;
  bool vectors_ = true;
};

}  // namespace

MR_KERNELS(SelfAdjointEigV2,
           Cpu){{.types = MR_MATRIX_TYPES,
                 .make = MakeKernel<SelfAdjointEigKernel<Results::kApart>>}};

MR_KERNELS(BatchSelfAdjointEigV2,
           Cpu){{.types = "T: float, double",
                 .make = MakeKernel<SelfAdjointEigKernel<Results::kApart>>}};

MR_KERNELS(SelfAdjointEig,
           Cpu){{.types = "T: float, double",
                 .make = MakeKernel<SelfAdjointEigKernel<Results::kJoined>>}};

MR_KERNELS(BatchSelfAdjointEig,
           Cpu){{.types = "T: float, double",
                 .make = MakeKernel<SelfAdjointEigKernel<Results::kJoined>>}};

}  // namespace millrace::ops
