#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/ctc/beam_search.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Stock's kernels read such an attribute as an int32.
StatusOr<int64_t> SmallAttr(const KernelInit& init, const char* name) {
  MR_ASSIGN_OR_RETURN(const int64_t value, init.Attr<int64_t>(name));
  if (value < std::numeric_limits<int32_t>::min() ||
      value > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Attr ", name, " has value ", value,
                           " out of range for an int32");
  }
  return value;
}

Status CheckDecoderInputs(const Tensor& inputs, const Tensor& lengths) {
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor");
  if (inputs.num_elements() == 0) {
    return InvalidArgument("inputs must not be empty");
  }
  if (lengths.rank() != 1) {
    return InvalidArgument("sequence_length is not a vector");
  }
  const int64_t time = inputs.dim(0), batch = inputs.dim(1);
  if (lengths.dim(0) != batch) {
    return FailedPrecondition(
        "len(sequence_length) != batch_size.  len(sequence_length):  ",
        lengths.dim(0), " batch_size: ", batch);
  }
  for (int64_t b = 0; b < batch; ++b) {
    if (lengths.flat<int32_t>()[b] > time) {
      return FailedPrecondition("sequence_length(", b, ") <= ", time);
    }
  }
  if (inputs.dim(2) >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("num_classes cannot exceed max int");
  }
  return OkStatus();
}

// What was decoded of one sequence.
struct DecodedSequence {
  std::vector<std::vector<int64_t>> paths;
  MemoryCharge charge;
  Status status;

  // Charges the paths.
  Status Charge() {
    int64_t bytes = 0;
    for (const auto& path : paths) {
      bytes += static_cast<int64_t>(path.size()) * 8;
    }
    return charge.Set(bytes, "decoded sequences");
  }
};

// Sets outputs p, paths + p and 2 * paths + p to the sparse tensor of the p-th
// path of all sequences.
Status StoreDecoded(KernelContext& ctx,
                    const std::vector<DecodedSequence>& decoded, int64_t paths,
                    int64_t p) {
  int64_t count = 0, longest = 0;
  for (const DecodedSequence& d : decoded) {
    const auto n = static_cast<int64_t>(d.paths[p].size());
    count += n;
    longest = std::max(longest, n);
  }
  const auto output = [&](int64_t list) {
    return static_cast<int>(list * paths + p);
  };
  MR_ASSIGN_OR_RETURN(Tensor* const indices,
                      ctx.AllocateOutput(output(0), TensorShape({count, 2})));
  MR_ASSIGN_OR_RETURN(Tensor* const values,
                      ctx.AllocateOutput(output(1), TensorShape({count})));
  MR_ASSIGN_OR_RETURN(Tensor* const shape,
                      ctx.AllocateOutput(output(2), TensorShape({2})));
  int64_t* at = indices->mutable_flat<int64_t>().data();
  int64_t* to = values->mutable_flat<int64_t>().data();
  for (size_t b = 0; b < decoded.size(); ++b) {
    int64_t t = 0;
    for (const int64_t label : decoded[b].paths[p]) {
      *at++ = static_cast<int64_t>(b);
      *at++ = t++;
      *to++ = label;
    }
  }
  const auto sizes = shape->mutable_flat<int64_t>();
  sizes[0] = static_cast<int64_t>(decoded.size());
  sizes[1] = longest;
  return OkStatus();
}

// No estimate of a sequence's time in nanoseconds is larger.
constexpr int64_t kMostCost = 1'000'000'000;

// Calls decode(b, &decoded[b]) for all sequences, which take `cost` each, and
// stores `paths` paths of each.
template <class F>
Status DecodeBatch(KernelContext& ctx, int64_t batch, int64_t paths,
                   CheckedSize cost, F&& decode) {
  MemoryCharge charge;
  MR_ASSIGN_OR_RETURN(
      const int64_t bytes,
      (CheckedSize(batch) * (CheckedSize(paths) * 32 +
                             static_cast<int64_t>(sizeof(DecodedSequence))))
          .Get("decoded sequences"));
  MR_RETURN_IF_ERROR(charge.Set(bytes, "decoded sequences"));
  std::vector<DecodedSequence> decoded(static_cast<size_t>(batch));
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      batch, std::min(cost.ok() ? cost.value() : kMostCost, kMostCost),
      [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          DecodedSequence& d = decoded[static_cast<size_t>(b)];
          d.status = decode(b, &d);
        }
      }));
  for (const DecodedSequence& d : decoded) MR_RETURN_IF_ERROR(d.status);
  for (int64_t p = 0; p < paths; ++p) {
    MR_RETURN_IF_ERROR(StoreDecoded(ctx, decoded, paths, p));
  }
  return OkStatus();
}

class GreedyDecoderKernel {
 public:
  static StatusOr<GreedyDecoderKernel> Make(const KernelInit& init) {
    GreedyDecoderKernel k;
    MR_ASSIGN_OR_RETURN(k.merge_repeated_, init.Attr<bool>("merge_repeated"));
    MR_ASSIGN_OR_RETURN(k.blank_, SmallAttr(init, "blank_index"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& inputs = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckDecoderInputs(inputs, ctx.input(1)));
    const int64_t classes = inputs.dim(2);
    const int64_t blank = blank_ < 0 ? classes + blank_ : blank_;
    if (blank < 0 || blank >= classes) {
      return InvalidArgument("blank_index expected to be between ", -classes,
                             " and ", classes - 1, " but was ", blank_);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(3, TensorShape({inputs.dim(1), 1})));
    return Dispatch<float, double>(inputs.dtype(), [&]<class T>() -> Status {
      return RunTyped<T>(ctx, blank, out->mutable_flat<T>().data());
    });
  }

 private:
  template <class T>
  Status RunTyped(KernelContext& ctx, int64_t blank, T* log_probability) const {
    const Tensor& inputs = ctx.input(0);
    const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
    const T* const x = inputs.flat<T>().data();
    const auto lengths = ctx.input(1).flat<int32_t>();
    return DecodeBatch(
        ctx, batch, 1, CheckedSize(inputs.dim(0)) * classes,
        [&](int64_t b, DecodedSequence* d) {
          d->paths.resize(1);
          T sum = 0;
          int64_t previous = -1;
          for (int64_t t = 0; t < lengths[b]; ++t) {
            const T* row = x + (t * batch + b) * classes;
            int64_t best = 0;
            for (int64_t k = 1; k < classes; ++k) {
              if (row[k] > row[best]) best = k;
            }
            sum += -row[best];
            if (best != blank && !(merge_repeated_ && best == previous)) {
              d->paths[0].push_back(best);
            }
            previous = best;
          }
          log_probability[b] = sum;
          return d->Charge();
        });
  }

  bool merge_repeated_ = false;
  int64_t blank_ = -1;
};

class BeamSearchDecoderKernel {
 public:
  static StatusOr<BeamSearchDecoderKernel> Make(const KernelInit& init) {
    BeamSearchDecoderKernel k;
    MR_ASSIGN_OR_RETURN(k.merge_repeated_, init.Attr<bool>("merge_repeated"));
    MR_ASSIGN_OR_RETURN(k.beam_width_, SmallAttr(init, "beam_width"));
    MR_ASSIGN_OR_RETURN(k.top_paths_, SmallAttr(init, "top_paths"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& inputs = ctx.input(0);
    MR_RETURN_IF_ERROR(CheckDecoderInputs(inputs, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({inputs.dim(1), top_paths_}));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(static_cast<int>(3 * top_paths_), std::move(shape)));
    return Dispatch<float, double>(inputs.dtype(), [&]<class T>() -> Status {
      return RunTyped<T>(ctx, out->mutable_flat<T>().data());
    });
  }

 private:
  template <class T>
  Status RunTyped(KernelContext& ctx, T* log_probability) const {
    const Tensor& inputs = ctx.input(0);
    const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
    const T* const x = inputs.flat<T>().data();
    const auto lengths = ctx.input(1).flat<int32_t>();
    const CheckedSize cost = CheckedSize(inputs.dim(0)) * classes *
                             std::min<int64_t>(beam_width_, 1000) * 4;
    return DecodeBatch(
        ctx, batch, top_paths_, cost,
        [&](int64_t b, DecodedSequence* d) -> Status {
          BeamSearch<T> search(classes, beam_width_);
          MR_RETURN_IF_ERROR(search.Start());
          for (int64_t t = 0; t < lengths[b]; ++t) {
            MR_RETURN_IF_ERROR(ctx.CheckCancelled());
            MR_RETURN_IF_ERROR(search.Step(x + (t * batch + b) * classes));
          }
          MR_ASSIGN_OR_RETURN(std::vector<FoundPath<T>> best,
                              search.Best(top_paths_, merge_repeated_));
          for (size_t p = 0; p < best.size(); ++p) {
            log_probability[b * top_paths_ + static_cast<int64_t>(p)] =
                best[p].log_probability;
            d->paths.push_back(std::move(best[p].labels));
          }
          return d->Charge();
        });
  }

  bool merge_repeated_ = true;
  int64_t beam_width_ = 0, top_paths_ = 0;
};

}  // namespace

MR_KERNELS(CTCGreedyDecoder, Cpu){
    {.types = "T: float, double", .make = MakeKernel<GreedyDecoderKernel>}};
MR_KERNELS(CTCBeamSearchDecoder, Cpu){
    {.types = "T: float, double", .make = MakeKernel<BeamSearchDecoderKernel>}};

}  // namespace millrace::ops
