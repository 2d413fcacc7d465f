#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/ctc/alignment.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The nanoseconds that a class, or a position of an alignment, takes in a step.
constexpr int64_t kCostOfClass = 15, kCostOfPosition = 80;
// More of them do not change how the work is shared.
constexpr int64_t kManyPositions = int64_t{1} << 20;

struct CtcSizes {
  int64_t time = 0, batch = 0, classes = 0;
};

// Checks the shapes of the inputs.
StatusOr<CtcSizes> CheckCtcShapes(const Tensor& inputs, const Tensor& indices,
                                  const Tensor& values, const Tensor& lengths) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (lengths.rank() != 1) {
    return InvalidArgument("sequence_length is not a vector");
  }
  if (indices.rank() != 2) {
    return InvalidArgument("labels_indices is not a matrix");
  }
  if (indices.dim(1) < 2) {
    return InvalidArgument(
        "labels_indices second dimension must be >= 1. Received ",
        indices.dim(1));
  }
  if (values.rank() != 1) {
    return InvalidArgument("labels_values is not a vector");
  }
  const CtcSizes s{inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (s.classes >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("num_classes cannot exceed max int");
  }
  if (lengths.dim(0) != s.batch) {
    return InvalidArgument(
        "len(sequence_length) != batch_size.  len(sequence_length):  ",
        lengths.dim(0), " batch_size: ", s.batch);
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of "
        "rows, but saw shapes: ",
        indices.shape().DebugString(), " vs. ", values.shape().DebugString());
  }
  if (s.batch == 0) return InvalidArgument("batch_size must not be 0");
  if (s.time == 0) {
    return InvalidArgument("Max time or first dimension of input cannot be 0.");
  }
  if (s.classes == 0) return InvalidArgument("num_classes must not be 0");
  if (indices.dim(1) != 2) {
    return InvalidArgument("Order length must be SparseTensor rank.");
  }
  return s;
}

// Checks that the labels are in order and inside of the batch.
Status CheckCtcLabels(const Tensor& indices, const Tensor& values,
                      int64_t batch) {
  SparseEntries labels;
  labels.coordinates = indices.flat<int64_t>().data();
  labels.count = indices.dim(0);
  labels.rank = 2;
  labels.values = &values;
  int64_t longest = 0;
  for (int64_t i = 0; i < labels.count; ++i) {
    const int64_t at = labels.at(i)[1];
    if (at < std::numeric_limits<int64_t>::max()) {
      longest = std::max(longest, at + 1);
    }
  }
  MR_RETURN_IF_ERROR(TensorShape::Make({batch, longest}).status());
  const int64_t dims[] = {batch, longest};
  labels.dims = dims;
  const Status valid = CheckOrder(labels);
  if (valid.ok()) return OkStatus();
  return InvalidArgument("label SparseTensor is not valid: ", valid.message());
}

struct CtcFlags {
  bool collapses_repeated = false;
  bool merges_repeated = true;
  bool ignores_longer = false;
};

// The labels of one sequence, with blanks before, between and behind them.
class PaddedLabels {
 public:
  // Returns INVALID_ARGUMENT for labels that cannot be aligned with `length`
  // steps.
  Status Set(int64_t b, absl::Span<const int32_t> labels, int64_t classes,
             int64_t length, const CtcFlags& flags) {
    if (labels.empty()) {
      return InvalidArgument("Labels length is zero in batch ", b);
    }
    const auto blank = static_cast<int32_t>(classes - 1);
    labels_.clear();
    // Labels that are not below the blank end the sequence.
    bool ended = false;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (i > 0 && flags.collapses_repeated && labels[i] == labels[i - 1]) {
        continue;
      }
      if (labels[i] >= blank) {
        ended = true;
      } else if (ended) {
        return InvalidArgument(
            "Saw a non-null label (index >= num_classes - 1) following a null "
            "label, batch: ",
            b, " num_classes: ", classes, " labels: ", First(labels),
            " labels seen so far: ", First(labels_));
      } else {
        labels_.push_back(labels[i]);
      }
    }
    for (const int32_t label : labels_) {
      if (label < 0) {
        return InvalidArgument(
            "All labels must be nonnegative integers, batch: ", b,
            " labels: ", First(labels_));
      }
    }
    const auto required = static_cast<int64_t>(labels.size());
    if (!flags.ignores_longer && required > length) {
      return InvalidArgument(
          "Not enough time for target transition sequence (required: ",
          required, ", available: ", length, ")", b,
          "You can turn this error into a warning by using the flag "
          "ignore_longer_outputs_than_inputs");
    }
    padded_.assign(2 * labels_.size() + 1, blank);
    for (size_t i = 0; i < labels_.size(); ++i) padded_[2 * i + 1] = labels_[i];
    return OkStatus();
  }
  const CountedVector<int32_t>& padded() const { return padded_; }

 private:
  // Returns the first labels as text.
  static std::string First(absl::Span<const int32_t> labels) {
    return absl::StrJoin(labels.first(std::min<size_t>(labels.size(), 100)),
                         ",");
  }

  CountedVector<int32_t> labels_, padded_;
};

// The first label of each sequence, and the number of all.
std::vector<int64_t> FirstLabels(const Tensor& indices, int64_t batch) {
  const int64_t* at = indices.flat<int64_t>().data();
  std::vector<int64_t> first(static_cast<size_t>(batch) + 1);
  int64_t i = 0;
  for (int64_t b = 0; b <= batch; ++b) {
    while (i < indices.dim(0) && at[2 * i] < b) ++i;
    first[static_cast<size_t>(b)] = i;
  }
  return first;
}

class CtcLossKernel {
 public:
  static StatusOr<CtcLossKernel> Make(const KernelInit& init) {
    CtcLossKernel k;
    MR_ASSIGN_OR_RETURN(k.flags_.collapses_repeated,
                        init.Attr<bool>("preprocess_collapse_repeated"));
    MR_ASSIGN_OR_RETURN(k.flags_.merges_repeated,
                        init.Attr<bool>("ctc_merge_repeated"));
    MR_ASSIGN_OR_RETURN(k.flags_.ignores_longer,
                        init.Attr<bool>("ignore_longer_outputs_than_inputs"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(1);
    const Tensor& values = ctx.input(2);
    const Tensor& lengths = ctx.input(3);
    MR_ASSIGN_OR_RETURN(const CtcSizes s,
                        CheckCtcShapes(ctx.input(0), indices, values, lengths));
    MR_RETURN_IF_ERROR(CheckCtcLabels(indices, values, s.batch));
    const auto length = lengths.flat<int32_t>();
    for (int64_t b = 0; b < s.batch; ++b) {
      if (length[b] > s.time) {
        return InvalidArgument("sequence_length(", b, ") <= ", s.time);
      }
    }
    for (int64_t b = 0; b < s.batch; ++b) {
      if (length[b] < 0) return InvalidArgument("seq_len(", b, ") < 0");
    }
    return Dispatch<float, double>(ctx.input_type(0), [&]<class T>() -> Status {
      return RunTyped<T>(ctx, s);
    });
  }

 private:
  template <class T>
  Status RunTyped(KernelContext& ctx, const CtcSizes& s) const {
    const auto length = ctx.input(3).flat<int32_t>();
    MemoryCharge labels_charge;
    MR_RETURN_IF_ERROR(
        labels_charge.Set((s.batch + 1) * 8, "the labels of a batch"));
    const std::vector<int64_t> first = FirstLabels(ctx.input(1), s.batch);
    const auto values = ctx.input(2).flat<int32_t>();
    const auto labels_of = [&](int64_t b) {
      return values.subspan(static_cast<size_t>(first[b]),
                            static_cast<size_t>(first[b + 1] - first[b]));
    };
    // All labels are checked, and the largest alignment is charged for each
    // thread, before any is computed.
    int64_t largest = 0, cost = 0;
    PaddedLabels padded;
    for (int64_t b = 0; b < s.batch; ++b) {
      MR_RETURN_IF_ERROR(
          padded.Set(b, labels_of(b), s.classes, length[b], flags_));
      const auto positions = static_cast<int64_t>(padded.padded().size());
      MR_ASSIGN_OR_RETURN(const int64_t bytes,
                          AlignmentBytes<T>(length[b], s.classes, positions));
      largest = std::max(largest, bytes + positions * 8);
      cost = std::max(cost, length[b] * (s.classes * kCostOfClass +
                                         std::min(positions, kManyPositions) *
                                             kCostOfPosition));
    }
    const int64_t threads =
        std::min<int64_t>(s.batch, ctx.device().lanes().intra_op.width());
    MR_ASSIGN_OR_RETURN(const int64_t all,
                        (CheckedSize(largest) * threads).Get("alignments"));
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(charge.Set(all, "alignments"));

    MR_ASSIGN_OR_RETURN(Tensor* const loss,
                        ctx.AllocateOutput(0, TensorShape({s.batch})));
    MR_ASSIGN_OR_RETURN(Tensor* const gradient,
                        ctx.AllocateOutput(1, ctx.input(0).shape()));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, gradient));
    const T* const x = ctx.input(0).flat<T>().data();
    T* const dx = gradient->mutable_flat<T>().data();
    T* const z = loss->mutable_flat<T>().data();
    return ctx.ParallelFor(s.batch, cost, [&](int64_t begin, int64_t end) {
      PaddedLabels own;
      for (int64_t b = begin; b < end; ++b) {
        z[b] = 0;
        const absl::Span<const int32_t> labels = labels_of(b);
        // Nothing is learned from labels that need more steps.
        if (length[b] == 0 || static_cast<int64_t>(labels.size()) > length[b]) {
          continue;
        }
        if (!own.Set(b, labels, s.classes, length[b], flags_).ok()) continue;
        AlignmentProblem<T> p;
        p.time = length[b];
        p.classes = s.classes;
        p.padded = own.padded();
        p.blank = static_cast<int32_t>(s.classes - 1);
        p.merge_repeated = flags_.merges_repeated;
        const int64_t step = s.batch * s.classes;
        p.logits = {x + b * s.classes, step};
        Align<T>(ctx, p, z + b, {dx + b * s.classes, step});
      }
    });
  }

  CtcFlags flags_;
};

}  // namespace

MR_KERNELS(CTCLoss, Cpu){
    {.types = "T: float, double", .make = MakeKernel<CtcLossKernel>}};

}  // namespace millrace::ops
