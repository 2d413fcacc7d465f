#include "millrace/ops/ragged/splits.h"

#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<std::vector<CountedVector<int64_t>>> ReadSplits(KernelContext& ctx,
                                                         int first, int count) {
  std::vector<CountedVector<int64_t>> splits;
  for (int i = first; i < first + count; ++i) {
    const Tensor& t = ctx.input(i);
    if (t.rank() != 1) {
      return InvalidArgument(
          "Invalid ragged splits: ragged splits must be rank 1 but is rank ",
          t.rank());
    }
    splits.push_back(ManyIntValues(t));
  }
  return splits;
}

Status CheckWholeSplits(absl::Span<const CountedVector<int64_t>> splits,
                        int64_t num_values) {
  for (size_t level = 0; level < splits.size(); ++level) {
    const CountedVector<int64_t>& s = splits[level];
    if (s.empty()) {
      return InvalidArgument(
          "Invalid ragged splits: ragged splits must have at least one splits, "
          "but is empty");
    }
    if (s[0] != 0) {
      return InvalidArgument(
          "Invalid ragged splits: first element of ragged splits  must be 0 "
          "but is ",
          s[0]);
    }
    for (size_t i = 1; i < s.size(); ++i) {
      if (s[i] < s[i - 1]) {
        return InvalidArgument(
            "Invalid ragged splits: ragged splits must be monotonically "
            "increasing, but ragged_splits[",
            i, "]=", s[i], " is smaller than row_splits[", i - 1,
            "]=", s[i - 1]);
      }
    }
    const int64_t next =
        level + 1 < splits.size()
            ? static_cast<int64_t>(splits[level + 1].size()) - 1
            : num_values;
    if (s.back() != next) {
      return InvalidArgument(
          "Invalid ragged splits: last element of ragged splits must be the "
          "number of ragged values(",
          next, ") but is ", s.back());
    }
  }
  return OkStatus();
}

Status SetSplits(KernelContext& ctx, int i, absl::Span<const int64_t> splits) {
  MR_ASSIGN_OR_RETURN(
      Tensor* const out,
      ctx.AllocateOutput(i,
                         TensorShape({static_cast<int64_t>(splits.size())})));
  return Dispatch(IndexTypes{}, out->dtype(), [&]<class T>() -> Status {
    T* to = out->mutable_flat<T>().data();
    for (const int64_t s : splits) {
      if (s > std::numeric_limits<T>::max()) {
        return InvalidArgument("Ragged splits of type ",
                               DataTypeName(out->dtype()), " cannot hold ", s);
      }
      *to++ = static_cast<T>(s);
    }
    return OkStatus();
  });
}

}  // namespace millrace::ops
