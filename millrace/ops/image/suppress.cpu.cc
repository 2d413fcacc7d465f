#include <cmath>
#include <deque>
#include <limits>
#include <queue>

#include "absl/functional/function_ref.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/box_overlap.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Multiplies scores of type T. Half is computed in float and rounded after each
// step. The lowest score means "no threshold".
template <class T>
T Product(T a, T b) {
  return static_cast<T>(static_cast<ComputeType<T>>(a) *
                        static_cast<ComputeType<T>>(b));
}
template <class T>
bool Above(T a, T b) {
  return static_cast<ComputeType<T>>(a) > static_cast<ComputeType<T>>(b);
}

template <class T>
struct Options {
  T overlap_threshold{};
  ComputeType<T> score_threshold{};
  T sigma{};  // of soft suppression; 0: hard
};

template <class T>
struct Selected {
  CountedVector<int32_t> boxes;
  CountedVector<T> scores;
};

// Takes the best candidate repeatedly. A candidate whose score was lowered by
// those taken before it goes back into the queue; it is compared only with
// those taken since.
template <class T>
Status Select(KernelContext& ctx, const Tensor& scores, int64_t most,
              const Options<T>& options,
              absl::FunctionRef<float(int32_t, int32_t)> overlap,
              Selected<T>* out) {
  using S = ComputeType<T>;
  struct Candidate {
    int32_t box;
    T score;
    size_t compared;
    bool operator<(const Candidate& o) const {
      const S a = static_cast<S>(score), b = static_cast<S>(o.score);
      return a < b || (a == b && box > o.box);
    }
  };
  const T* const values = scores.flat<T>().data();
  const auto fits = [&](T score) {
    return static_cast<S>(score) > options.score_threshold;
  };
  CountedVector<Candidate> all;
  for (int64_t i = 0; i < scores.num_elements(); ++i) {
    if (fits(values[i])) {
      all.push_back({static_cast<int32_t>(i), values[i], 0});
    }
  }
  std::priority_queue<Candidate, CountedVector<Candidate>> queue(
      std::less<Candidate>(), std::move(all));
  const bool soft = static_cast<S>(options.sigma) > 0;
  const T scale =
      soft ? static_cast<T>(S(-0.5) / static_cast<S>(options.sigma)) : T(0);
  while (static_cast<int64_t>(out->boxes.size()) < most && !queue.empty()) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    Candidate next = queue.top();
    queue.pop();
    const S before = static_cast<S>(next.score);
    bool dropped = false;
    for (size_t j = out->boxes.size(); j-- > next.compared;) {
      const T same = static_cast<T>(overlap(next.box, out->boxes[j]));
      const bool too_close = Above(same, options.overlap_threshold);
      if (!soft && too_close) {
        dropped = true;
        break;
      }
      const T power = Product(Product(scale, same), same);
      next.score =
          Product(next.score, static_cast<T>(std::exp(static_cast<S>(power))));
      if (!fits(next.score)) break;
    }
    next.compared = out->boxes.size();
    if (dropped) continue;
    if (static_cast<S>(next.score) == before) {
      out->boxes.push_back(next.box);
      out->scores.push_back(next.score);
    } else if (fits(next.score)) {
      queue.push(next);
    }
  }
  return OkStatus();
}

Status CheckScalarInput(const Tensor& t, const char* name) {
  if (t.rank() != 0) {
    return InvalidArgument(
        name, " must be 0-D, got shape ", t.shape().DebugString(),
        " (Shape must be rank 0 but is rank ", t.rank(), ")");
  }
  return OkStatus();
}

Status CheckScores(const Tensor& scores, int64_t boxes) {
  if (scores.rank() != 1) {
    return InvalidArgument("scores must be 1-D", scores.shape().DebugString(),
                           " (Shape must be rank 1 but is rank ", scores.rank(),
                           ")");
  }
  if (scores.dim(0) != boxes) {
    return InvalidArgument(
        "scores has incompatible shape (Dimensions must be equal, but are ",
        boxes, " and ", scores.dim(0), ")");
  }
  return OkStatus();
}

Status CheckBoxes(const Tensor& boxes) {
  if (boxes.rank() != 2) {
    return InvalidArgument("boxes must be 2-D", boxes.shape().DebugString(),
                           " (Shape must be rank 2 but is rank ", boxes.rank(),
                           ")");
  }
  if (boxes.dim(1) != 4) {
    return InvalidArgument(
        "boxes must have 4 columns (Dimension must be 4 but is ", boxes.dim(1),
        ")");
  }
  return OkStatus();
}

// Returns a scalar of half or float.
StatusOr<float> Threshold(const Tensor& t, const char* name) {
  MR_RETURN_IF_ERROR(CheckScalarInput(t, name));
  return t.dtype() == DataType::kHalf ? static_cast<float>(t.scalar<Half>())
                                      : t.scalar<float>();
}

// The source of the overlap of two boxes: the boxes, or a matrix.
enum class Overlaps { kOfBoxes, kGiven };

template <Overlaps kOverlaps>
class SuppressKernel {
 public:
  static StatusOr<SuppressKernel> Make(const KernelInit& init) {
    SuppressKernel k;
    if (init.HasAttr("iou_threshold")) {
      MR_ASSIGN_OR_RETURN(k.overlap_threshold_,
                          init.Attr<float>("iou_threshold"));
    }
    if (init.HasAttr("pad_to_max_output_size")) {
      MR_ASSIGN_OR_RETURN(k.padded_, init.Attr<bool>("pad_to_max_output_size"));
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    return Dispatch<float, Half>(
        ctx.input_type(1), [&]<class T>() -> Status { return RunAs<T>(ctx); });
  }

 private:
  static constexpr bool kGiven = kOverlaps == Overlaps::kGiven;

  template <class T>
  StatusOr<Options<T>> ReadOptions(KernelContext& ctx) const {
    float threshold = overlap_threshold_;
    if (ctx.num_inputs() > 3) {
      MR_ASSIGN_OR_RETURN(
          threshold, Threshold(ctx.input(3),
                               kGiven ? "overlap_threshold" : "iou_threshold"));
    }
    Options<T> options;
    options.overlap_threshold = static_cast<T>(threshold);
    const auto rounded = static_cast<float>(
        static_cast<ComputeType<T>>(options.overlap_threshold));
    if (!kGiven && !(rounded >= 0 && rounded <= 1)) {
      return InvalidArgument("iou_threshold must be in [0, 1]");
    }
    options.score_threshold = std::is_same_v<T, Half>
                                  ? -65504.0f
                                  : std::numeric_limits<float>::lowest();
    if (ctx.num_inputs() > 4) {
      MR_ASSIGN_OR_RETURN(const float score,
                          Threshold(ctx.input(4), "score_threshold"));
      options.score_threshold =
          static_cast<ComputeType<T>>(static_cast<T>(score));
    }
    if (ctx.num_inputs() > 5) {
      MR_ASSIGN_OR_RETURN(const float sigma,
                          Threshold(ctx.input(5), "soft_nms_sigma"));
      if (!(sigma >= 0)) {
        return InvalidArgument("soft_nms_sigma_val must be >= 0");
      }
      options.sigma = static_cast<T>(sigma);
    }
    return options;
  }

  template <class T>
  Status RunAs(KernelContext& ctx) const {
    const Tensor& boxes = ctx.input(0);
    const Tensor& scores = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckScalarInput(ctx.input(2), "max_output_size"));
    MR_ASSIGN_OR_RETURN(const Options<T> options, ReadOptions<T>(ctx));
    if (kGiven) {
      if (boxes.rank() != 2) {
        return InvalidArgument("overlaps must be 2-D",
                               boxes.shape().DebugString());
      }
      if (boxes.dim(0) != boxes.dim(1)) {
        return InvalidArgument("overlaps must be square",
                               boxes.shape().DebugString());
      }
    } else {
      MR_RETURN_IF_ERROR(CheckBoxes(boxes));
    }
    MR_RETURN_IF_ERROR(CheckScores(scores, boxes.dim(0)));
    if (scores.num_elements() > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("there may be at most 2^31 - 1 boxes");
    }
    const int64_t most = ctx.input(2).scalar<int32_t>();
    if (most < 0) return InvalidArgument("output size must be non-negative");
    const T* const data = boxes.flat<T>().data();
    const int64_t n = boxes.dim(0);
    Selected<T> selected;
    MR_RETURN_IF_ERROR(Select<T>(
        ctx, scores, most, options,
        [&](int32_t i, int32_t j) {
          return kGiven
                     ? static_cast<float>(data[int64_t{i} * n + j])
                     : BoxOverlap(data + int64_t{i} * 4, data + int64_t{j} * 4);
        },
        &selected));
    return SetOutputs(ctx, most, selected);
  }

  template <class T>
  Status SetOutputs(KernelContext& ctx, int64_t most,
                    const Selected<T>& selected) const {
    const auto count = static_cast<int64_t>(selected.boxes.size());
    const TensorShape shape({padded_ ? most : count});
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    const auto fill = [](const auto& from, auto to) {
      std::fill(std::copy(from.begin(), from.end(), to.begin()), to.end(),
                typename decltype(to)::value_type(0));
    };
    fill(selected.boxes, out->mutable_flat<int32_t>());
    if (ctx.num_outputs() == 3) {
      MR_ASSIGN_OR_RETURN(Tensor* const scores, ctx.AllocateOutput(1, shape));
      fill(selected.scores, scores->mutable_flat<T>());
    }
    if (ctx.num_outputs() > 1) {
      ctx.set_output(ctx.num_outputs() - 1,
                     Tensor::Scalar(static_cast<int32_t>(count)));
    }
    return OkStatus();
  }

  bool padded_ = false;
  float overlap_threshold_ = 0.5f;
};

}  // namespace

MR_KERNELS(NonMaxSuppression,
           Cpu){{.make = MakeKernel<SuppressKernel<Overlaps::kOfBoxes>>}};
MR_KERNELS(NonMaxSuppressionV2,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<SuppressKernel<Overlaps::kOfBoxes>>}};
MR_KERNELS(NonMaxSuppressionV3,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<SuppressKernel<Overlaps::kOfBoxes>>}};
MR_KERNELS(NonMaxSuppressionV4,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<SuppressKernel<Overlaps::kOfBoxes>>}};
MR_KERNELS(NonMaxSuppressionV5,
           Cpu){{.types = "T: float, half",
                 .make = MakeKernel<SuppressKernel<Overlaps::kOfBoxes>>}};
MR_KERNELS(NonMaxSuppressionWithOverlaps,
           Cpu){{.make = MakeKernel<SuppressKernel<Overlaps::kGiven>>}};

}  // namespace millrace::ops
