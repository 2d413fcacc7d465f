#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/sparse/checks/matmul.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The product, once the inputs are checked.
struct Product : SparseMatMulShape {
  CountedVector<int64_t> coordinates;  // of a's entries: (row, column)
  bool adjoint_a, adjoint_b;

  int64_t Row(int64_t i) const { return coordinates[2 * i + adjoint_a]; }
  int64_t Inner(int64_t i) const { return coordinates[2 * i + !adjoint_a]; }
};

StatusOr<Product> Check(KernelContext& ctx, bool adjoint_a, bool adjoint_b) {
  MR_ASSIGN_OR_RETURN(const SparseMatMulShape shape,
                      CheckSparseMatMul(ctx, adjoint_a, adjoint_b));
  const Product p{{shape}, ManyIntValues(ctx.input(0)), adjoint_a, adjoint_b};
  for (int64_t i = 0; i < p.count; ++i) {
    if (p.Inner(i) < 0 || p.Inner(i) >= p.inner) {
      return InvalidArgument("k (", p.Inner(i), ") from index[", i, ",",
                             adjoint_a ? 0 : 1, "] out of bounds (>=", p.inner,
                             ")");
    }
    if (p.Row(i) < 0 || p.Row(i) >= p.rows) {
      return InvalidArgument("m (", p.Row(i), ") from index[", i, ",",
                             adjoint_a ? 1 : 0, "] out of bounds (>=", p.rows,
                             ")");
    }
  }
  return p;
}

// Computes columns [begin, end) of sums += a * b.
template <class T, class S>
void AddColumns(const Product& p, const T* a, const T* b, S* sums,
                int64_t begin, int64_t end) {
  // The strides in b from one inner index, and from one column, to the next.
  const int64_t inner_step = p.adjoint_b ? 1 : p.columns;
  const int64_t column_step = p.adjoint_b ? p.inner : 1;
  for (int64_t i = 0; i < p.count; ++i) {
    S v = static_cast<S>(a[i]);
    if (p.adjoint_a) v = Conjugate(v);
    S* const row = sums + p.Row(i) * p.columns;
    const T* const y = b + p.Inner(i) * inner_step;
    if (p.adjoint_b) {
      for (int64_t c = begin; c < end; ++c) {
        row[c] = Plus<S>(
            row[c], Times<S>(v, Conjugate(static_cast<S>(y[c * column_step]))));
      }
    } else {
      for (int64_t c = begin; c < end; ++c) {
        row[c] = Plus<S>(row[c], Times<S>(v, static_cast<S>(y[c])));
      }
    }
  }
}

class SparseMatMulKernel {
 public:
  static StatusOr<SparseMatMulKernel> Make(const KernelInit& init) {
    SparseMatMulKernel k;
    MR_ASSIGN_OR_RETURN(k.adjoint_a_, init.Attr<bool>("adjoint_a"));
    MR_ASSIGN_OR_RETURN(k.adjoint_b_, init.Attr<bool>("adjoint_b"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Product p, Check(ctx, adjoint_a_, adjoint_b_));
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        TensorShape::Make({p.rows, p.columns}));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    return Dispatch<float, double, int32_t, Complex64, Complex128, Half,
                    Bfloat16>(
        out->dtype(), [&]<class T>() { return Multiply<T>(ctx, p, out); });
  }

 private:
  template <class T>
  static Status Multiply(KernelContext& ctx, const Product& p, Tensor* out) {
    using S = ComputeType<T>;
    const T* const a = ctx.input(1).flat<T>().data();
    const T* const b = ctx.input(3).flat<T>().data();
    T* const z = out->mutable_flat<T>().data();
    Tensor wide;
    S* sums;
    if constexpr (std::is_same_v<T, S>) {
      sums = z;
    } else {
      MR_ASSIGN_OR_RETURN(wide, ctx.AllocateTemp(DataTypeOf<S>, out->shape()));
      sums = wide.mutable_flat<S>().data();
    }
    return ctx.ParallelFor(
        p.columns, p.rows + 2 * p.count, [&](int64_t begin, int64_t end) {
          for (int64_t r = 0; r < p.rows; ++r) {
            std::fill(sums + r * p.columns + begin, sums + r * p.columns + end,
                      S(0));
          }
          AddColumns(p, a, b, sums, begin, end);
          if constexpr (!std::is_same_v<T, S>) {
            for (int64_t r = 0; r < p.rows; ++r) {
              for (int64_t c = begin; c < end; ++c) {
                z[r * p.columns + c] = static_cast<T>(sums[r * p.columns + c]);
              }
            }
          }
        });
  }

  bool adjoint_a_ = false;
  bool adjoint_b_ = false;
};

}  // namespace

MR_KERNELS(SparseTensorDenseMatMul, Cpu){
    {.types = "T: bfloat16, complex128, complex64, double, float, half, "
              "int32",
     .make = MakeKernel<SparseMatMulKernel>,
     .host = "a_shape"}};

}  // namespace millrace::ops
