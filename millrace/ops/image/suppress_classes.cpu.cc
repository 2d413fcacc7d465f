// CombinedNonMaxSuppression: suppresses within each class of each image, then
// selects the best of all. Equal scores keep the order that a heap and a sort
// of these sizes give them, since programs see that order from TensorFlow.
#include <algorithm>
#include <limits>
#include <queue>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/image/box_overlap.h"

namespace millrace::ops {
namespace {

constexpr int32_t kNobody = -1;
constexpr int64_t kCandidatesPerCheck = 64;

struct Found {
  int32_t box = kNobody;
  float score = -1;
  int32_t of_class = -1;
  float corners[4] = {};
};

struct Problem {
  int64_t batch, boxes, kinds, classes;  // kinds: 1 or classes
  int64_t per_class, total;
  float overlap_threshold, score_threshold;
  bool pad_per_class, clip;

  int64_t result_size() const {
    if (!pad_per_class) return total;
    return std::min(total,
                    std::min<int64_t>(std::numeric_limits<int32_t>::max(),
                                      per_class * classes));
  }
};

// Selects the boxes of one class into found[0 ... most).
void SelectClass(const Problem& p, const float* boxes, const float* scores,
                 int64_t of_class, int64_t most, const KernelContext& ctx,
                 Found* found) {
  struct Candidate {
    int32_t box;
    float score;
    bool operator<(const Candidate& o) const { return score < o.score; }
  };
  std::priority_queue<Candidate, CountedVector<Candidate>> queue;
  for (int64_t i = 0; i < p.boxes; ++i) {
    const float score = scores[i * p.classes + of_class];
    if (score > p.score_threshold) {
      queue.push({static_cast<int32_t>(i), score});
    }
  }
  const int64_t kind = p.kinds > 1 ? of_class : 0;
  const auto corners = [&](int32_t box) {
    return boxes + (box * p.kinds + kind) * 4;
  };
  int64_t count = 0, seen = 0;
  for (; count < most && !queue.empty(); queue.pop()) {
    // One candidate is compared with up to `most` others.
    if (++seen % kCandidatesPerCheck == 0 && !ctx.CheckCancelled().ok()) return;
    const Candidate next = queue.top();
    const float* const box = corners(next.box);
    bool free = true;
    for (int64_t j = count; j-- > 0 && free;) {
      free = !(BoxOverlap(box, corners(found[j].box)) > p.overlap_threshold);
    }
    if (!free) continue;
    Found& f = found[count++];
    f.box = next.box;
    f.score = next.score;
    f.of_class = static_cast<int32_t>(of_class);
    std::copy_n(box, 4, f.corners);
  }
}

struct Results {
  float *boxes, *scores, *classes;
  int32_t* valid;
};

void SetResults(const Problem& p, CountedVector<Found>* found, int64_t picture,
                const Results& r) {
  std::sort(found->begin(), found->end(),
            [](const Found& a, const Found& b) { return a.score > b.score; });
  const auto there =
      std::count_if(found->begin(), found->end(),
                    [](const Found& f) { return f.box != kNobody; });
  const int64_t size = p.result_size();
  const int64_t valid = std::min<int64_t>(there, size);
  r.valid[picture] = static_cast<int32_t>(valid);
  float* box = r.boxes + picture * size * 4;
  for (int64_t i = 0; i < size; ++i, box += 4) {
    const Found f =
        i < valid ? (*found)[static_cast<size_t>(i)] : Found{kNobody, 0, 0, {}};
    r.scores[picture * size + i] = f.score;
    r.classes[picture * size + i] = static_cast<float>(f.of_class);
    for (int k = 0; k < 4; ++k) {
      const float at = f.corners[k];
      box[k] = p.clip ? std::max(std::min(at, 1.0f), 0.0f) : at;
    }
  }
}

StatusOr<int64_t> PositiveScalar(const Tensor& t, const char* name,
                                 const char* error) {
  if (t.rank() != 0) {
    return InvalidArgument(name, " must be 0-D, got shape ",
                           t.shape().DebugString());
  }
  const int64_t value = t.scalar<int32_t>();
  if (value <= 0) return InvalidArgument(name, error);
  return value;
}

StatusOr<float> FloatScalar(const Tensor& t, const char* name) {
  if (t.rank() != 0) {
    return InvalidArgument(name, " must be 0-D, got shape ",
                           t.shape().DebugString());
  }
  return t.scalar<float>();
}

class CombinedKernel {
 public:
  static StatusOr<CombinedKernel> Make(const KernelInit& init) {
    CombinedKernel k;
    MR_ASSIGN_OR_RETURN(k.pad_per_class_, init.Attr<bool>("pad_per_class"));
    MR_ASSIGN_OR_RETURN(k.clip_, init.Attr<bool>("clip_boxes"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Problem p, Read(ctx));
    const int64_t size = p.result_size();
    MR_ASSIGN_OR_RETURN(const TensorShape corners,
                        TensorShape::Make({p.batch, size, 4}));
    const TensorShape numbers({p.batch, size});
    MR_ASSIGN_OR_RETURN(Tensor* const boxes, ctx.AllocateOutput(0, corners));
    MR_ASSIGN_OR_RETURN(Tensor* const scores, ctx.AllocateOutput(1, numbers));
    MR_ASSIGN_OR_RETURN(Tensor* const classes, ctx.AllocateOutput(2, numbers));
    MR_ASSIGN_OR_RETURN(Tensor* const valid,
                        ctx.AllocateOutput(3, TensorShape({p.batch})));
    const Results results{boxes->mutable_flat<float>().data(),
                          scores->mutable_flat<float>().data(),
                          classes->mutable_flat<float>().data(),
                          valid->mutable_flat<int32_t>().data()};
    const float* const in_boxes = ctx.input(0).flat<float>().data();
    const float* const in_scores = ctx.input(1).flat<float>().data();
    const int64_t most = std::min(p.per_class, p.boxes);
    return ctx.ParallelFor(
        p.batch, p.boxes * p.classes * 200 + size,
        [&](int64_t begin, int64_t end) {
          CountedVector<Found> found;
          for (int64_t i = begin; i < end; ++i) {
            found.assign(static_cast<size_t>(most * p.classes), Found());
            for (int64_t c = 0; c < p.classes; ++c) {
              if (!ctx.CheckCancelled().ok()) return;
              SelectClass(p, in_boxes + i * p.boxes * p.kinds * 4,
                          in_scores + i * p.boxes * p.classes, c, most, ctx,
                          found.data() + c * most);
            }
            SetResults(p, &found, i, results);
          }
        });
  }

 private:
  StatusOr<Problem> Read(KernelContext& ctx) const {
    const Tensor& boxes = ctx.input(0);
    const Tensor& scores = ctx.input(1);
    const auto batch = [](const Tensor& t) {
      return t.rank() == 0 ? int64_t{-1} : t.dim(0);
    };
    if (batch(boxes) != batch(scores)) {
      return InvalidArgument("boxes and scores must have same batch size");
    }
    if (boxes.rank() != 4) {
      return InvalidArgument("boxes must be 4-D", boxes.shape().DebugString());
    }
    if (scores.rank() != 3) {
      return InvalidArgument("scores must be 3-D",
                             scores.shape().DebugString());
    }
    Problem p{
        boxes.dim(0),   boxes.dim(1), boxes.dim(2), scores.dim(2), 0, 0, 0, 0,
        pad_per_class_, clip_};
    MR_ASSIGN_OR_RETURN(p.per_class,
                        PositiveScalar(ctx.input(2), "max_size_per_class",
                                       " must be positive"));
    MR_ASSIGN_OR_RETURN(p.total, PositiveScalar(ctx.input(3), "max_total_size",
                                                " must be > 0"));
    MR_ASSIGN_OR_RETURN(p.overlap_threshold,
                        FloatScalar(ctx.input(4), "iou_threshold"));
    MR_ASSIGN_OR_RETURN(p.score_threshold,
                        FloatScalar(ctx.input(5), "score_threshold"));
    if (!(p.overlap_threshold >= 0 && p.overlap_threshold <= 1)) {
      return InvalidArgument("iou_threshold must be in [0, 1]");
    }
    if (p.kinds != 1 && p.kinds != p.classes) {
      return InvalidArgument(
          "third dimension of boxes must be either 1 or num classes");
    }
    if (boxes.dim(3) != 4) {
      return InvalidArgument("boxes must have 4 columns");
    }
    if (scores.dim(1) != p.boxes) {
      return InvalidArgument("scores has incompatible shape");
    }
    if (p.boxes > std::numeric_limits<int32_t>::max() ||
        p.classes > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("there may be at most 2^31 - 1 boxes");
    }
    return p;
  }

  bool pad_per_class_ = false, clip_ = true;
};

}  // namespace

MR_KERNELS(CombinedNonMaxSuppression,
           Cpu){{.make = MakeKernel<CombinedKernel>}};

}  // namespace millrace::ops
