// Kernel of RaggedTensorToSparse.
#include <algorithm>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/ragged/splits.h"

namespace millrace::ops {
namespace {

using Levels = std::vector<CountedVector<int64_t>>;

Status CheckLevels(const Levels& splits, const Tensor& values) {
  constexpr char kNoMatch[] =
      "Final value of ragged splits must match the length the corresponding "
      "ragged values.";
  for (size_t level = 0; level < splits.size(); ++level) {
    const CountedVector<int64_t>& s = splits[level];
    if (s.empty()) return InvalidArgument("ragged splits may not be empty.");
    if (s[0] != 0) {
      return InvalidArgument("First value of ragged splits must be 0.");
    }
    for (size_t i = 1; i < s.size(); ++i) {
      if (s[i] < s[i - 1]) {
        return InvalidArgument(
            "Ragged splits should be non decreasing, but we got ", s[i - 1],
            " followed by ", s[i]);
      }
    }
    if (level > 0 &&
        splits[level - 1].back() != static_cast<int64_t>(s.size()) - 1) {
      return InvalidArgument(kNoMatch);
    }
  }
  if (values.rank() == 0 || splits.back().back() != values.dim(0)) {
    return InvalidArgument(kNoMatch);
  }
  return OkStatus();
}

// The place of one row of values after the other.
class RowPlace {
 public:
  explicit RowPlace(const Levels& splits)
      : splits_(splits), rows_(splits.size(), 0) {}

  // Goes to row `k` of the values, which is not before the previous one.
  void MoveTo(int64_t k) {
    value_ = k;
    for (size_t level = splits_.size(); level > 0; --level) {
      const CountedVector<int64_t>& s = splits_[level - 1];
      int64_t& row = rows_[level - 1];
      while (s[static_cast<size_t>(row) + 1] <= k) ++row;
      k = row;
    }
  }
  // Writes its coordinates, one more than there are levels.
  void Write(int64_t* to) const {
    to[0] = rows_[0];
    for (size_t level = 0; level < splits_.size(); ++level) {
      const int64_t child =
          level + 1 < splits_.size() ? rows_[level + 1] : value_;
      to[level + 1] = child - splits_[level][static_cast<size_t>(rows_[level])];
    }
  }

 private:
  const Levels& splits_;
  std::vector<int64_t> rows_;  // the row of each level
  int64_t value_ = 0;
};

Status RunToSparse(KernelContext& ctx) {
  const int levels = ctx.num_inputs() - 1;
  const Tensor& values = ctx.input(levels);
  MR_ASSIGN_OR_RETURN(const Levels splits, ReadSplits(ctx, 0, levels));
  MR_RETURN_IF_ERROR(CheckLevels(splits, values));

  const int64_t count = values.num_elements();
  const int inner_rank = values.rank() - 1;
  const int64_t rank = levels + 1 + inner_rank;
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({count, rank}));
  MR_ASSIGN_OR_RETURN(Tensor* const indices,
                      ctx.AllocateOutput(0, std::move(shape)));
  int64_t* to = indices->mutable_flat<int64_t>().data();
  const int64_t inner = count == 0 ? 0 : count / values.dim(0);
  RowPlace place(splits);
  for (int64_t k = 0; inner > 0 && k < values.dim(0); ++k) {
    if (k % 65536 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    place.MoveTo(k);
    for (int64_t i = 0; i < inner; ++i, to += rank) {
      place.Write(to);
      int64_t rest = i;
      for (int d = inner_rank; d > 0; --d) {
        to[levels + d] = rest % values.dim(d);
        rest /= values.dim(d);
      }
    }
  }
  ctx.set_output(1, values.Reshaped(TensorShape({count})));
  MR_ASSIGN_OR_RETURN(Tensor* const dense,
                      ctx.AllocateOutput(2, TensorShape({rank})));
  const auto sizes = dense->mutable_flat<int64_t>();
  sizes[0] = static_cast<int64_t>(splits[0].size()) - 1;
  for (int level = 0; level < levels; ++level) {
    const CountedVector<int64_t>& s = splits[static_cast<size_t>(level)];
    int64_t longest = 0;
    for (size_t i = 1; i < s.size(); ++i) {
      longest = std::max(longest, s[i] - s[i - 1]);
    }
    sizes[static_cast<size_t>(level) + 1] = longest;
  }
  for (int d = 1; d <= inner_rank; ++d) {
    sizes[static_cast<size_t>(levels + d)] = values.dim(d);
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(RaggedTensorToSparse, Cpu){
    {.make = MakeFunctionKernel<RunToSparse>, .views = "rt_dense_values"}};

}  // namespace millrace::ops
