#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The rows or columns that an input of a gradient says were pooled.
class PooledSpans {
 public:
  PooledSpans(const Tensor& sequence, int64_t size, bool overlapping)
      : at_(sequence.flat<int64_t>()), size_(size), more_(overlapping) {}

  int64_t count() const {
    return std::max<int64_t>(0, static_cast<int64_t>(at_.size()) - 1);
  }
  bool has_negative() const {
    return std::any_of(at_.begin(), at_.end(), [](int64_t i) { return i < 0; });
  }
  // Return the elements [begin, end) of a span, which is empty if the sequence
  // is not in order.
  int64_t begin(int64_t i) const { return at_[static_cast<size_t>(i)]; }
  int64_t end(int64_t i) const {
    const int64_t next = at_[static_cast<size_t>(i) + 1];
    return next >= size_ ? size_ : next + (more_ ? 1 : 0);
  }

 private:
  absl::Span<const int64_t> at_;
  int64_t size_;
  bool more_;
};

// Rounds towards zero. Returns the smallest number for those that do not fit,
// as the processor does.
template <class T>
T NumberOf(double x) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto kLowest = std::numeric_limits<T>::lowest();
    const double limit = -static_cast<double>(kLowest);
    return x >= -limit && x < limit ? static_cast<T>(x) : kLowest;
  } else {
    return static_cast<T>(x);
  }
}

class FractionalMaxPoolGradKernel {
 public:
  static StatusOr<FractionalMaxPoolGradKernel> Make(const KernelInit& init) {
    FractionalMaxPoolGradKernel k;
    MR_ASSIGN_OR_RETURN(k.overlapping_, init.Attr<bool>("overlapping"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr const char* kImages[] = {"orig_input", "orig_output"};
    for (int i = 0; i < 2; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() != 4) {
        return InvalidArgument(
            kImages[i], " should be a tensor of rank 4, got ", t.DebugString());
      }
      if (t.num_elements() == 0) {
        return InvalidArgument(kImages[i], " must not be empty, got ",
                               t.DebugString());
      }
    }
    constexpr const char* kSequences[] = {"row_pooling_sequence",
                                          "col_pooling_sequence"};
    for (int i = 0; i < 2; ++i) {
      const Tensor& t = ctx.input(3 + i);
      if (t.rank() != 1) {
        return InvalidArgument(kSequences[i],
                               " must be a vector, received shape ",
                               t.shape().DebugString());
      }
      if (PooledSpans(t, 0, false).has_negative()) {
        return InvalidArgument(kSequences[i], " must not be negative");
      }
    }
    const Tensor& in = ctx.input(0);
    const Tensor& pooled = ctx.input(1);
    if (in.dim(0) != pooled.dim(0) || in.dim(3) != pooled.dim(3)) {
      return DiffersFromOutput();
    }
    if (ctx.input(2).num_elements() > pooled.num_elements()) {
      return InvalidArgument("out_backprop has ", ctx.input(2).num_elements(),
                             " elements, more than the output's ",
                             pooled.num_elements());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    MR_ASSIGN_OR_RETURN(Tensor places,
                        ctx.AllocateTemp(DataType::kInt64, pooled.shape()));
    return Dispatch<float, double, int32_t, int64_t>(
        in.dtype(), [&]<class T>() -> Status {
          int64_t* const at = places.mutable_flat<int64_t>().data();
          MR_RETURN_IF_ERROR(FindPlaces<T>(ctx, at));
          return AddGradients<T>(ctx, at, out);
        });
  }

 private:
  static Status DiffersFromOutput() {
    return InvalidArgument("tensor_out_dup is not the same as tensor_out");
  }

  // Sets places[i] to the position in its image of the first largest element of
  // each window. Returns INVALID_ARGUMENT if that is not element i of the
  // pooled tensor.
  template <class T>
  Status FindPlaces(KernelContext& ctx, int64_t* places) const {
    const Tensor& in = ctx.input(0);
    const Tensor& pooled = ctx.input(1);
    const int64_t height = in.dim(1), width = in.dim(2), depth = in.dim(3);
    const int64_t rows = pooled.dim(1), columns = pooled.dim(2);
    const PooledSpans y(ctx.input(3), height, overlapping_);
    const PooledSpans x(ctx.input(4), width, overlapping_);
    const T* const elements = in.flat<T>().data();
    const T* const largest = pooled.flat<T>().data();
    std::atomic<bool> differs = false, empty = false;
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        pooled.dim(0) * rows, in.num_elements() / rows / pooled.dim(0) * 2 + 1,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t row = i % rows;
            const T* image = elements + i / rows * height * width * depth;
            const bool has_row = row < y.count();
            for (int64_t k = 0; k < columns * depth; ++k) {
              const int64_t column = k / depth, c = k % depth;
              T best = std::numeric_limits<T>::lowest();
              int64_t place = -1;
              if (has_row && column < x.count()) {
                for (int64_t h = y.begin(row); h < y.end(row); ++h) {
                  for (int64_t w = x.begin(column); w < x.end(column); ++w) {
                    const int64_t from = (h * width + w) * depth + c;
                    if (place >= 0 && !(best < image[from])) continue;
                    best = image[from];
                    place = from;
                  }
                }
              }
              const int64_t at = i * columns * depth + k;
              if (!(best == largest[at])) differs = true;
              if (place < 0) empty = true;
              places[at] = place;
            }
          }
        }));
    if (differs) return DiffersFromOutput();
    if (empty) {
      return InvalidArgument("Invalid input backprop index: -1, ",
                             in.num_elements());
    }
    return OkStatus();
  }

  template <class T>
  Status AddGradients(KernelContext& ctx, const int64_t* places,
                      Tensor* out) const {
    const Tensor& gradient = ctx.input(2);
    const int64_t image = out->num_elements() / out->dim(0);
    const int64_t window = ctx.input(1).num_elements() / out->dim(0);
    const T* const dy = gradient.flat<T>().data();
    T* const dx = out->mutable_flat<T>().data();
    return ctx.ParallelFor(
        out->dim(0), window * 2, [&](int64_t begin, int64_t end) {
          const int64_t last = std::min(gradient.num_elements(), end * window);
          for (int64_t i = begin * window; i < last; ++i) {
            T& sum = dx[i / window * image + places[i]];
            sum = Plus(sum, dy[i]);
          }
        });
  }

  bool overlapping_ = false;
};

class FractionalAvgPoolGradKernel {
 public:
  static StatusOr<FractionalAvgPoolGradKernel> Make(const KernelInit& init) {
    FractionalAvgPoolGradKernel k;
    MR_ASSIGN_OR_RETURN(k.overlapping_, init.Attr<bool>("overlapping"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const TensorShape shape, CheckInputs(ctx));
    const Tensor& gradient = ctx.input(1);
    if (gradient.dim(0) > shape.dim(0) || gradient.dim(3) > shape.dim(3)) {
      return InvalidArgument("out_backprop ", gradient.shape().DebugString(),
                             " has a larger batch or more channels than the "
                             "input ",
                             shape.DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    // Sums are in double, for all types.
    MR_ASSIGN_OR_RETURN(Tensor sums,
                        ctx.AllocateTemp(DataType::kDouble, shape));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, &sums));
    return Dispatch<float, double, int32_t, int64_t>(
        gradient.dtype(), [&]<class T>() -> Status {
          double* const sum = sums.mutable_flat<double>().data();
          MR_RETURN_IF_ERROR(Distribute<T>(ctx, shape, sum));
          T* const z = out->mutable_flat<T>().data();
          return ctx.ParallelFor(out->num_elements(), 1,
                                 [&](int64_t begin, int64_t end) {
                                   for (int64_t i = begin; i < end; ++i) {
                                     z[i] = NumberOf<T>(sum[i]);
                                   }
                                 });
        });
  }

 private:
  // Returns the shape of the result.
  static StatusOr<TensorShape> CheckInputs(const KernelContext& ctx) {
    const Tensor& sizes = ctx.input(0);
    if (sizes.rank() != 1 || sizes.num_elements() != 4) {
      return InvalidArgument(
          "original input tensor shape must be1-dimensional and 4 elements");
    }
    const Tensor& gradient = ctx.input(1);
    if (gradient.rank() != 4) {
      return InvalidArgument("out_backprop must be 4-dimensional");
    }
    constexpr const char* kSequences[] = {"row_seq_tensor", "col_seq_tensor"};
    for (int i = 0; i < 2; ++i) {
      const int64_t least = gradient.dim(i + 1) + 1;
      const int64_t found = ctx.input(2 + i).num_elements();
      if (found < least) {
        return InvalidArgument("Given out_backprop shape ",
                               gradient.shape().DebugString(), ", ",
                               kSequences[i], " must have at least ", least,
                               " elements, but got ", found);
      }
    }
    constexpr const char* kDims[] = {"Batch", "Rows", "Columns", "Depth"};
    for (int i = 0; i < 4; ++i) {
      if (gradient.dim(i) == 0) {
        return InvalidArgument(
            "out_backprop must be positive for all dimension, got:0");
      }
    }
    const auto size = sizes.flat<int64_t>();
    for (int i = 0; i < 4; ++i) {
      if (size[i] == 0) {
        return InvalidArgument(kDims[i], " dimension of input must not be 0");
      }
      if (size[i] < 0) {
        return InvalidArgument("Expected a non-negative size, got ", size[i]);
      }
    }
    constexpr const char* kNames[] = {"Row", "Column"};
    for (int i = 0; i < 2; ++i) {
      const Tensor& t = ctx.input(2 + i);
      if (PooledSpans(t, 0, false).has_negative()) {
        return InvalidArgument(kNames[i],
                               " sequence tensor values must not be negative, "
                               "got ",
                               t.SummarizeValue(10));
      }
    }
    return TensorShape::Make(size);
  }

  template <class T>
  Status Distribute(KernelContext& ctx, const TensorShape& shape,
                    double* sums) const {
    const Tensor& gradient = ctx.input(1);
    const int64_t rows = gradient.dim(1), columns = gradient.dim(2);
    const int64_t depth = gradient.dim(3), in_depth = shape.dim(3);
    const int64_t height = shape.dim(1), width = shape.dim(2);
    const PooledSpans y(ctx.input(2), height, overlapping_);
    const PooledSpans x(ctx.input(3), width, overlapping_);
    const T* const dy = gradient.flat<T>().data();
    return ctx.ParallelFor(
        gradient.dim(0), height * width * depth * 2,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin * rows * columns; i < end * rows * columns;
               ++i) {
            const int64_t column = i % columns, row = i / columns % rows;
            const int64_t image = i / columns / rows;
            const auto count =
                static_cast<double>((y.end(row) - y.begin(row)) *
                                    (x.end(column) - x.begin(column)));
            for (int64_t h = y.begin(row); h < y.end(row); ++h) {
              for (int64_t w = x.begin(column); w < x.end(column); ++w) {
                double* const to =
                    sums + ((image * height + h) * width + w) * in_depth;
                for (int64_t c = 0; c < depth; ++c) {
                  to[c] += static_cast<double>(dy[i * depth + c]) / count;
                }
              }
            }
          }
        });
  }

  bool overlapping_ = false;
};

}  // namespace

MR_KERNELS(FractionalMaxPoolGrad,
           Cpu){{.types = "T: float, double, int32, int64",
                 .make = MakeKernel<FractionalMaxPoolGradKernel>}};
MR_KERNELS(FractionalAvgPoolGrad,
           Cpu){{.types = "T: float, double, int32, int64",
                 .make = MakeKernel<FractionalAvgPoolGradKernel>}};

}  // namespace millrace::ops
