// Kernels of TopK and NthElement.
#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/nn/largest_places.h"
#include "millrace/ops/nn/top_k.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

int64_t ScalarOf(const Tensor& t) {
  return t.dtype() == DataType::kInt16
             ? *reinterpret_cast<const int16_t*>(t.data())
             : IntValues(t)[0];
}

}  // namespace

StatusOr<TopKAttrs> TopKAttrs::Make(const KernelInit& init) {
  TopKAttrs a;
  MR_ASSIGN_OR_RETURN(a.sorted, init.Attr<bool>("sorted"));
  a.has_k = init.HasAttr("k");
  if (a.has_k) {
    MR_ASSIGN_OR_RETURN(a.k, init.Attr<int64_t>("k"));
  }
  return a;
}

StatusOr<int64_t> TopKAttrs::K(KernelContext& ctx) const {
  if (has_k) return k;
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("k must be scalar, got shape ",
                           ctx.input(1).shape().DebugString());
  }
  return ScalarOf(ctx.input(1));
}

StatusOr<TensorShape> TopKShape(const TensorShape& x, int64_t k) {
  if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
  if (x.rank() < 1) {
    return InvalidArgument("input must be >= 1-D, got shape ", x.DebugString());
  }
  const int64_t n = x.dim(x.rank() - 1);
  if (n < k) {
    return InvalidArgument("input must have at least k columns. Had ", n,
                           ", needed ", k);
  }
  DimVector dims = x.dims();
  dims.back() = k;
  return TensorShape(dims);
}

namespace {

class TopKKernel {
 public:
  static StatusOr<TopKKernel> Make(const KernelInit& init) {
    TopKKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, TopKAttrs::Make(init));
    k.order_ = k.attrs_.sorted ? ResultOrder::kBySize : ResultOrder::kByPlace;
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const int64_t k, attrs_.K(ctx));
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TopKShape(x.shape(), k));
    MR_ASSIGN_OR_RETURN(Tensor* const values, ctx.AllocateOutput(0, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const index, ctx.AllocateOutput(1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    values->mutable_data();  // before threads access them
    index->mutable_data();
    const TopKOutputs out = {values, index, x.dim(x.rank() - 1), k};
    return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
      return Dispatch<int16_t, int32_t, int64_t>(
          index->dtype(),
          [&]<class I>() -> Status { return FindRows<T, I>(ctx, x, out); });
    });
  }

 private:
  struct TopKOutputs {
    Tensor* values;
    Tensor* index;
    int64_t n;  // elements of a row
    int64_t k;
  };

  // Rows are divided among the threads, or, of few long ones, the elements.
  template <class T, class I>
  Status FindRows(KernelContext& ctx, const Tensor& x,
                  const TopKOutputs& out) const {
    constexpr int64_t kFewRows = 4;
    constexpr int64_t kLongRow = 1 << 17;
    const int64_t rows = x.num_elements() / out.n;
    if (rows <= kFewRows && out.n >= kLongRow) {
      for (int64_t r = 0; r < rows; ++r) {
        MR_RETURN_IF_ERROR(FindRow<T, I>(ctx, x, out, r, RowThreads::kMany));
      }
      return OkStatus();
    }
    return ctx.ParallelFor(rows, out.n * 5, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        // One thread is not cancelled within a row.
        FindRow<T, I>(ctx, x, out, r, RowThreads::kOne).IgnoreError();
      }
    });
  }

  template <class T, class I>
  Status FindRow(KernelContext& ctx, const Tensor& x, const TopKOutputs& out,
                 int64_t row, RowThreads threads) const {
    if constexpr (sizeof(T) <= 4) {
      if (out.n <= int64_t{1} << 32)
        return FindRowBy<PackedElement, T, I>(ctx, x, out, row, threads);
    }
    return FindRowBy<LongElement, T, I>(ctx, x, out, row, threads);
  }

  template <class E, class T, class I>
  Status FindRowBy(KernelContext& ctx, const Tensor& x, const TopKOutputs& out,
                   int64_t row, RowThreads threads) const {
    const T* from = reinterpret_cast<const T*>(x.data()) + row * out.n;
    MR_ASSIGN_OR_RETURN(
        const CountedVector<E> largest,
        (LargestElements<E>(ctx, from, out.n, out.k, order_, threads)));
    T* values = reinterpret_cast<T*>(out.values->mutable_data()) + row * out.k;
    I* index = reinterpret_cast<I*>(out.index->mutable_data()) + row * out.k;
    for (const E& element : largest) {
      *values++ = from[element.place()];
      *index++ = static_cast<I>(element.place());
    }
    return OkStatus();
  }

  ResultOrder order_ = ResultOrder::kBySize;
  TopKAttrs attrs_;
};

class NthElementKernel {
 public:
  static StatusOr<NthElementKernel> Make(const KernelInit& init) {
    NthElementKernel k;
    MR_ASSIGN_OR_RETURN(k.reverse_, init.Attr<bool>("reverse"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("N must be scalar but has rank ",
                             ctx.input(1).rank());
    }
    int64_t nth = IntValues(ctx.input(1))[0];
    if (nth < 0) return InvalidArgument("n must be non-negative but is ", nth);
    if (x.rank() < 1) {
      return InvalidArgument("Input must be at least rank 1 but is rank ",
                             x.rank());
    }
    const int64_t n = x.dim(x.rank() - 1);
    if (n <= nth) {
      return InvalidArgument("Input must have last dimension > n = ", nth);
    }
    if (reverse_) nth = n - nth - 1;
    DimVector dims = x.shape().dims();
    dims.pop_back();
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape(dims)));
    if (out->num_elements() == 0) return OkStatus();
    out->mutable_data();  // before threads access it
    return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
      return Find<T>(ctx, x, nth, out);
    });
  }

 private:
  template <class T>
  static Status Find(KernelContext& ctx, const Tensor& x, int64_t nth,
                     Tensor* out) {
    const int64_t n = x.dim(x.rank() - 1);
    const T* from = reinterpret_cast<const T*>(x.data());
    T* to = reinterpret_cast<T*>(out->mutable_data());
    const int64_t rows = x.num_elements() / n;
    return ctx.ParallelFor(rows, n * 10, [&](int64_t begin, int64_t end) {
      CountedVector<T> row(static_cast<size_t>(n));
      for (int64_t r = begin; r < end; ++r) {
        std::copy_n(from + r * n, n, row.begin());
        std::nth_element(
            row.begin(), row.begin() + nth, row.end(),
            [](T a, T b) { return OrderKeyOf(a) < OrderKeyOf(b); });
        to[r] = row[static_cast<size_t>(nth)];
      }
    });
  }

  bool reverse_ = false;
};

}  // namespace

MR_KERNELS(TopK,
           Cpu){{.types = "T: " MR_REAL_TYPES, .make = MakeKernel<TopKKernel>}};
MR_KERNELS(TopKV2, Cpu){{.types = "T: " MR_REAL_TYPES,
                         .make = MakeKernel<TopKKernel>,
                         .host = "k"}};
MR_KERNELS(NthElement, Cpu){{.types = "T: " MR_REAL_TYPES,
                             .make = MakeKernel<NthElementKernel>,
                             .host = "n"}};

}  // namespace millrace::ops
