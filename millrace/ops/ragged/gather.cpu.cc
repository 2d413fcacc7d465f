// Kernel of RaggedGather.
#include <algorithm>
#include <limits>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/ragged/splits.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using Splits = std::vector<CountedVector<int64_t>>;

Status CheckIndices(const Tensor& indices, absl::Span<const int64_t> numbers,
                    int64_t rows) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= rows) {
      return InvalidArgument(
          "indices", PlaceText(static_cast<int64_t>(i), indices.shape()), " = ",
          numbers[i], " is not in [0, ", rows, ")");
    }
  }
  return OkStatus();
}

// Splits may begin after 0 and end before the last value.
Status CheckPartialSplits(const Splits& splits, int64_t num_values) {
  for (size_t level = 0; level < splits.size(); ++level) {
    const CountedVector<int64_t>& s = splits[level];
    if (s.empty()) return InvalidArgument("Ragged splits may not be empty");
    if (s[0] < 0) return InvalidArgument("Ragged splits must be non-negative");
    const int64_t next =
        level + 1 < splits.size()
            ? static_cast<int64_t>(splits[level + 1].size()) - 1
            : num_values;
    if (s.back() > next) {
      return InvalidArgument("Ragged splits must not point past values");
    }
    if (!std::is_sorted(s.begin(), s.end())) {
      return InvalidArgument("Ragged splits must be sorted");
    }
  }
  return OkStatus();
}

// What one index selects: rows [begin, end) of a level, and then of the next.
struct Selected {
  int64_t begin, end;

  explicit Selected(int64_t row) : begin(row), end(row + 1) {}
  void Descend(const CountedVector<int64_t>& splits) {
    begin = splits[static_cast<size_t>(begin)];
    end = splits[static_cast<size_t>(end)];
  }
  int64_t size() const { return end - begin; }
};

class RaggedGatherKernel {
 public:
  static StatusOr<RaggedGatherKernel> Make(const KernelInit& init) {
    RaggedGatherKernel k;
    MR_ASSIGN_OR_RETURN(k.levels_, init.Attr<int64_t>("PARAMS_RAGGED_RANK"));
    MR_ASSIGN_OR_RETURN(k.out_levels_,
                        init.Attr<int64_t>("OUTPUT_RAGGED_RANK"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const int levels = static_cast<int>(levels_);
    const Tensor& values = ctx.input(levels);
    const Tensor& indices = ctx.input(levels + 1);
    if (values.rank() == 0) {
      return InvalidArgument("params.rank must be nonzero");
    }
    if (levels_ + indices.rank() - 1 != out_levels_) {
      return InvalidArgument("OUTPUT_RAGGED_RANK must be ",
                             levels_ + indices.rank() - 1,
                             " for these indices, but is ", out_levels_);
    }
    MR_ASSIGN_OR_RETURN(const Splits splits, ReadSplits(ctx, 0, levels));
    const CountedVector<int64_t> rows = ManyIntValues(indices);
    MR_RETURN_IF_ERROR(CheckIndices(
        indices, rows, static_cast<int64_t>(splits[0].size()) - 1));
    MR_RETURN_IF_ERROR(CheckPartialSplits(splits, values.dim(0)));
    for (int d = 1; d < indices.rank(); ++d) {
      MR_RETURN_IF_ERROR(SetEvenSplits(ctx, d - 1, indices, d));
    }
    return SetRows(ctx, splits, rows, indices.rank() - 1);
  }

 private:
  // Sets output `i` to the splits of dimension d of a dense tensor.
  static Status SetEvenSplits(KernelContext& ctx, int i, const Tensor& t,
                              int d) {
    // Without an index the product may be beyond all sizes.
    CheckedSize rows = 1;
    for (int i = 0; i < d; ++i) rows *= t.dim(i);
    const int64_t length = t.dim(d);
    MR_ASSIGN_OR_RETURN(const int64_t size, (rows + 1).Get("splits"));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(i, TensorShape({size})));
    return Dispatch(IndexTypes{}, out->dtype(), [&]<class T>() -> Status {
      const CheckedSize last = rows * length;
      if (!last.ok() || last.value() > std::numeric_limits<T>::max()) {
        return InvalidArgument("Too many indices for splits of type ",
                               DataTypeName(out->dtype()));
      }
      T* to = out->mutable_flat<T>().data();
      for (int64_t j = 0; j < size; ++j) to[j] = static_cast<T>(j * length);
      return OkStatus();
    });
  }

  // Sets the other outputs, from output `first` on; if that is -1, the splits
  // of the first level are left out.
  Status SetRows(KernelContext& ctx, const Splits& splits,
                 absl::Span<const int64_t> rows, int first) const {
    const Tensor& values = ctx.input(static_cast<int>(levels_));
    // For each level the number of its selected rows, then that of values.
    std::vector<CheckedSize> counts(splits.size() + 1);
    CountedVector<int64_t> starts;  // of the values of each index
    for (const int64_t row : rows) {
      starts.push_back(counts.back().value());
      Selected s(row);
      counts[0] += 1;
      for (size_t level = 0; level < splits.size(); ++level) {
        s.Descend(splits[level]);
        counts[level + 1] += s.size();
      }
      if (!counts.back().ok()) break;
    }
    DataType splits_type = ctx.input_type(0);
    const int64_t most = splits_type == DataType::kInt32
                             ? std::numeric_limits<int32_t>::max()
                             : std::numeric_limits<int64_t>::max() - 1;
    for (const CheckedSize& count : counts) {
      if (!count.ok() || count.value() > most) {
        return InvalidArgument("Too many rows for splits of type ",
                               DataTypeName(splits_type));
      }
    }
    std::vector<Tensor*> outs(splits.size(), nullptr);
    for (size_t level = 0; level < splits.size(); ++level) {
      const int i = first + static_cast<int>(level);
      if (i < 0) continue;
      MR_ASSIGN_OR_RETURN(
          outs[level],
          ctx.AllocateOutput(i, TensorShape({counts[level].value() + 1})));
    }
    MR_RETURN_IF_ERROR(
        Dispatch(IndexTypes{}, splits_type, [&]<class T>() -> Status {
          WriteSplits<T>(splits, rows, outs);
          return OkStatus();
        }));
    return CopyValues(ctx, splits, rows, starts, counts.back().value(), values);
  }

  template <class T>
  static void WriteSplits(const Splits& splits, absl::Span<const int64_t> rows,
                          const std::vector<Tensor*>& outs) {
    std::vector<T*> to(outs.size(), nullptr);
    for (size_t level = 0; level < outs.size(); ++level) {
      if (outs[level] == nullptr) continue;
      to[level] = outs[level]->mutable_flat<T>().data();
      *to[level] = 0;
    }
    for (const int64_t row : rows) {
      Selected s(row);
      for (size_t level = 0; level < splits.size(); ++level) {
        const CountedVector<int64_t>& from = splits[level];
        if (T*& at = to[level]; at != nullptr) {
          for (int64_t i = s.begin; i < s.end; ++i, ++at) {
            const auto j = static_cast<size_t>(i);
            at[1] = static_cast<T>(at[0] + from[j + 1] - from[j]);
          }
        }
        s.Descend(from);
      }
    }
  }

  static Status CopyValues(KernelContext& ctx, const Splits& splits,
                           absl::Span<const int64_t> rows,
                           absl::Span<const int64_t> starts, int64_t count,
                           const Tensor& values) {
    DimVector dims = values.shape().dims();
    dims[0] = count;
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(ctx.num_outputs() - 1, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t inner = out->num_elements() / count;
    char* to = out->mutable_data();
    const auto n = static_cast<int64_t>(rows.size());
    return ctx.ParallelFor(
        n, MoveCost(values.dtype(), count / n * inner) + 10,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            Selected s(rows[static_cast<size_t>(i)]);
            for (const CountedVector<int64_t>& level : splits) s.Descend(level);
            CopyElements(values.dtype(), values.data(), s.begin * inner, to,
                         starts[static_cast<size_t>(i)] * inner,
                         s.size() * inner);
          }
        });
  }

  int64_t levels_ = 1, out_levels_ = 0;
};

}  // namespace

MR_KERNELS(RaggedGather, Cpu){
    {.types = "Tvalues: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES,
     .make = MakeKernel<RaggedGatherKernel>}};

}  // namespace millrace::ops
