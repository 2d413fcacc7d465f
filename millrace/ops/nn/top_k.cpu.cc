// Kernels of TopK. Elements are selected by keys of three types: double for
// floating types, int64 and uint64.
#include <algorithm>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

template <class T>
using KeyType = std::conditional_t<
    !std::is_integral_v<T>, double,
    std::conditional_t<std::is_unsigned_v<T>, uint64_t, int64_t>>;

template <class T, class K>
void ReadKeys(const void* row, int64_t n, K* keys) {
  const T* x = static_cast<const T*>(row);
  for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<K>(x[i]);
}

// Finds the indices of the k largest keys in descending order; of equal ones
// the first.
template <class K>
void LargestPlaces(const std::vector<K>& keys, int64_t k,
                   std::vector<int64_t>& places) {
  const auto n = static_cast<int64_t>(keys.size());
  places.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) places[i] = i;
  const auto before = [&](int64_t a, int64_t b) {
    return keys[a] > keys[b] || (keys[a] == keys[b] && a < b);
  };
  if (k * 4 >= n) {
    std::nth_element(places.begin(), places.begin() + std::min(k, n - 1),
                     places.end(), before);
    std::sort(places.begin(), places.begin() + k, before);
  } else {
    std::partial_sort(places.begin(), places.begin() + k, places.end(), before);
  }
}

// Calls f(row number, keys) for all rows, on the device's threads.
template <class F>
Status ForRows(KernelContext& ctx, const Tensor& x, int64_t n, F&& f) {
  const int64_t rows = x.num_elements() / n;
  const auto size = static_cast<int64_t>(SizeOf(x.dtype()));
  return Dispatch(RealTypes{}, x.dtype(), [&]<class T>() -> Status {
    using K = KeyType<T>;
    return ctx.ParallelFor(rows, n * 10, [&](int64_t begin, int64_t end) {
      std::vector<K> keys(static_cast<size_t>(n));
      for (int64_t r = begin; r < end; ++r) {
        ReadKeys<T, K>(x.data() + r * n * size, n, keys.data());
        f(r, keys);
      }
    });
  });
}

Status WriteIndex(Tensor* index, int64_t at, const std::vector<int64_t>& places,
                  int64_t k) {
  return Dispatch<int16_t, int32_t, int64_t>(
      index->dtype(), [&]<class I>() -> Status {
        I* z = reinterpret_cast<I*>(index->mutable_data()) + at;
        for (int64_t i = 0; i < k; ++i) z[i] = static_cast<I>(places[i]);
        return OkStatus();
      });
}

int64_t ScalarOf(const Tensor& t) {
  return t.dtype() == DataType::kInt16
             ? *reinterpret_cast<const int16_t*>(t.data())
             : IntValues(t)[0];
}

class TopKKernel {
 public:
  static StatusOr<TopKKernel> Make(const KernelInit& init) {
    TopKKernel k;
    if (init.HasAttr("k")) {
      MR_ASSIGN_OR_RETURN(k.k_, init.Attr<int64_t>("k"));
      k.has_k_ = true;
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    int64_t k = k_;
    if (!has_k_) {
      if (ctx.input(1).rank() != 0) {
        return InvalidArgument("k must be scalar, got shape ",
                               ctx.input(1).shape().DebugString());
      }
      k = ScalarOf(ctx.input(1));
    }
    if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
    if (x.rank() < 1) {
      return InvalidArgument("input must be >= 1-D, got shape ",
                             x.shape().DebugString());
    }
    const int64_t n = x.dim(x.rank() - 1);
    if (n < k) {
      return InvalidArgument("input must have at least k columns. Had ", n,
                             ", needed ", k);
    }
    DimVector dims = x.shape().dims();
    dims.back() = k;
    const TensorShape shape(dims);
    MR_ASSIGN_OR_RETURN(Tensor* const values, ctx.AllocateOutput(0, shape));
    MR_ASSIGN_OR_RETURN(Tensor* const index, ctx.AllocateOutput(1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const char* from = x.data();
    char* to = values->mutable_data();
    index->mutable_data();  // before threads access it
    return ForRows(ctx, x, n, [&](int64_t r, const auto& keys) {
      std::vector<int64_t> places;
      LargestPlaces(keys, k, places);
      for (int64_t i = 0; i < k; ++i) {
        CopyElements(x.dtype(), from, r * n + places[i], to, r * k + i, 1);
      }
      WriteIndex(index, r * k, places, k).IgnoreError();
    });
  }

 private:
  int64_t k_ = 0;
  bool has_k_ = false;
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
    const char* from = x.data();
    char* to = out->mutable_data();
    return ForRows(ctx, x, n, [&](int64_t r, const auto& keys) {
      std::vector<int64_t> places(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) places[i] = i;
      std::nth_element(places.begin(), places.begin() + nth, places.end(),
                       [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
      CopyElements(x.dtype(), from, r * n + places[nth], to, r, 1);
    });
  }

 private:
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
