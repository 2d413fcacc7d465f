#include "millrace/ops/queue/accumulator.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "millrace/base/log.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

using GradientTypes = Types<float, double, Half>;

// The type in which a sum of T is computed.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Half>, float, T>;

template <class T>
void AddTo(T* sum, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    sum[i] = T(static_cast<Wide<T>>(sum[i]) + static_cast<Wide<T>>(x[i]));
  }
}

template <class T>
void DivideBy(T* sum, int64_t divisor, int64_t n) {
  const auto d = static_cast<Wide<T>>(T(static_cast<Wide<T>>(divisor)));
  for (int64_t i = 0; i < n; ++i) {
    sum[i] = T(static_cast<Wide<T>>(sum[i]) / d);
  }
}

int64_t SliceElements(const Tensor& values) {
  return values.shape().NumElements(1, values.rank());
}

// Turns sums into means, in place.
Status Average(Accumulator::Sum& sum, Allocator* allocator) {
  if (sum.gradients == 1) return OkStatus();
  if (!sum.values.IsUnshared()) {
    MR_ASSIGN_OR_RETURN(sum.values, sum.values.DeepCopy(allocator));
  }
  return Dispatch(GradientTypes{}, sum.values.dtype(), [&]<class T>() {
    T* const data = sum.values.mutable_flat<T>().data();
    if (sum.counts.empty()) {
      DivideBy(data, sum.gradients, sum.values.num_elements());
      return OkStatus();
    }
    const int64_t slice = SliceElements(sum.values);
    for (size_t i = 0; i < sum.counts.size(); ++i) {
      DivideBy(data + static_cast<int64_t>(i) * slice, sum.counts[i], slice);
    }
    return OkStatus();
  });
}

}  // namespace

StatusOr<Accumulator::Options> Accumulator::OptionsFrom(const KernelInit& init,
                                                        GradientKind kind) {
  Options o;
  MR_ASSIGN_OR_RETURN(o.dtype, init.Attr<DataType>("dtype"));
  MR_ASSIGN_OR_RETURN(o.shape, init.Attr<PartialShape>("shape"));
  MR_ASSIGN_OR_RETURN(const std::string reduction,
                      init.Attr<std::string>("reduction_type"));
  o.mean = reduction == "MEAN";
  o.kind = kind;
  return o;
}

std::string Accumulator::DebugString() const {
  MutexLock lock(mu_);
  return absl::StrCat("accumulator of ", DataTypeName(options_.dtype), " ",
                      options_.shape.DebugString(), ", ", sum_.gradients,
                      " gradients, global step ", global_step_);
}

Status Accumulator::ApplyDense(KernelContext& ctx, int64_t local_step,
                               Tensor gradient) {
  {
    MutexLock lock(mu_);
    if (local_step < global_step_) return OkStatus();
    if (sum_.gradients > 0 && !(sum_.values.shape() == gradient.shape())) {
      return InvalidArgument("Shape mismatch: expected ",
                             sum_.values.shape().DebugString(), ", got ",
                             gradient.shape().DebugString());
    }
    if (!options_.shape.IsCompatibleWith(gradient.shape())) {
      return InvalidArgument("Shape mismatch: expected ",
                             options_.shape.DebugString(), ", got ",
                             gradient.shape().DebugString());
    }
    if (sum_.gradients == 0) {
      sum_.values = std::move(gradient);
    } else {
      if (!sum_.values.IsUnshared()) {
        MR_ASSIGN_OR_RETURN(sum_.values, sum_.values.DeepCopy(ctx.allocator()));
      }
      MR_RETURN_IF_ERROR(
          Dispatch(GradientTypes{}, options_.dtype, [&]<class T>() {
            T* const sum = sum_.values.mutable_flat<T>().data();
            const T* const x = gradient.flat<T>().data();
            ctx.to_end = true;
            return ctx.ParallelFor(gradient.num_elements(), 1,
                                   [&](int64_t begin, int64_t end) {
                                     AddTo(sum + begin, x + begin, end - begin);
                                   });
          }));
    }
    ++sum_.gradients;
  }
  StateChanged();
  return OkStatus();
}

Status Accumulator::CheckSparse(const Tensor& indices, const Tensor& values,
                                const Tensor* shape) const {
  if (indices.rank() != 1) {
    return InvalidArgument(
        "Input indices should be vector but received shape: ",
        indices.shape().DebugString());
  }
  if (values.rank() == 0) {
    return InvalidArgument("Values cannot be 0-dimensional.");
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("Expected ", indices.dim(0),
                           " non-empty input values, got ", values.dim(0));
  }
  const PartialShape& mine = options_.shape;
  const int rank = mine.known_rank() ? mine.rank() : 0;
  if (shape != nullptr) {
    if (shape->num_elements() < rank) {
      return InvalidArgument("Shape mismatch: expected shape rank at least ",
                             rank, ", got ", shape->num_elements());
    }
    for (int i = 0; i < rank; ++i) {
      const int64_t got = shape->flat<int64_t>()[static_cast<size_t>(i)];
      if (mine.dim(i) != kUnknownDim && mine.dim(i) != got) {
        return InvalidArgument("Shape mismatch: expected shape dim ", i,
                               " to be ", mine.dim(i), ", got ", got);
      }
    }
  }
  if (rank > 0 && mine.dim(0) != kUnknownDim) {
    for (int64_t i = 0; i < indices.dim(0); ++i) {
      const int64_t index = indices.flat<int64_t>()[static_cast<size_t>(i)];
      if (index >= mine.dim(0)) {
        return InvalidArgument("Shape mismatch: index of slice ", i,
                               " exceeded limits of shape; index is ", index,
                               " exceeded ", mine.dim(0));
      }
    }
  }
  if (sum_.gradients > 0) {
    if (sum_.values.rank() != values.rank()) {
      return InvalidArgument("Shape mismatch: expected values rank ",
                             sum_.values.rank(), ", got ", values.rank());
    }
  } else if (rank > values.rank()) {
    return InvalidArgument("Shape mismatch: expected values rank at least ",
                           rank, ", got ", values.rank());
  }
  const int last = sum_.gradients > 0 ? values.rank() : rank;
  for (int i = 1; i < last; ++i) {
    const int64_t want = sum_.gradients > 0 ? sum_.values.dim(i) : mine.dim(i);
    if (want != kUnknownDim && want != values.dim(i)) {
      return InvalidArgument("Shape mismatch: expected values dim ", i,
                             " to be ", want, ", got ", values.dim(i));
    }
  }
  return OkStatus();
}

// Merges two lists of slices as if both were sorted.
Status Accumulator::AddSlices(KernelContext& ctx, const Tensor& indices,
                              const Tensor& values) {
  struct Source {
    int64_t mine, theirs;  // -1: not in this list
  };
  std::vector<Source> sources;
  std::vector<int64_t> merged;
  std::vector<int32_t> counts;
  const auto theirs = indices.flat<int64_t>();
  const auto& mine = sum_.indices;
  for (size_t i = 0, j = 0; i < mine.size() || j < theirs.size();) {
    const bool from_mine =
        j == theirs.size() || (i < mine.size() && mine[i] <= theirs[j]);
    const bool from_theirs =
        i == mine.size() || (j < theirs.size() && theirs[j] <= mine[i]);
    merged.push_back(from_mine ? mine[i] : theirs[j]);
    counts.push_back((from_mine ? sum_.counts[i] : 0) + (from_theirs ? 1 : 0));
    sources.push_back({from_mine ? static_cast<int64_t>(i) : -1,
                       from_theirs ? static_cast<int64_t>(j) : -1});
    i += from_mine;
    j += from_theirs;
  }
  DimVector dims = values.shape().dims();
  dims[0] = static_cast<int64_t>(merged.size());
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(
      Tensor sum,
      Tensor::Allocate(ctx.allocator(), options_.dtype, std::move(shape)));
  const int64_t slice = SliceElements(values);
  MR_RETURN_IF_ERROR(Dispatch(GradientTypes{}, options_.dtype, [&]<class T>() {
    T* const out = sum.mutable_flat<T>().data();
    const T* const a = sum_.values.flat<T>().data();
    const T* const b = values.flat<T>().data();
    return ctx.ParallelFor(
        static_cast<int64_t>(sources.size()), slice + 1,
        [&](int64_t begin, int64_t end) {
          for (int64_t k = begin; k < end; ++k) {
            const Source& s = sources[static_cast<size_t>(k)];
            T* const to = out + k * slice;
            const T* const first =
                s.mine >= 0 ? a + s.mine * slice : b + s.theirs * slice;
            std::copy_n(first, slice, to);
            if (s.mine >= 0 && s.theirs >= 0) {
              AddTo(to, b + s.theirs * slice, slice);
            }
          }
        });
  }));
  sum_.values = std::move(sum);
  sum_.indices = std::move(merged);
  sum_.counts = std::move(counts);
  return OkStatus();
}

Status Accumulator::ApplySparse(KernelContext& ctx, int64_t local_step,
                                const Tensor& indices, const Tensor& values,
                                const Tensor* shape) {
  {
    MutexLock lock(mu_);
    if (local_step < global_step_) return OkStatus();
    MR_RETURN_IF_ERROR(CheckSparse(indices, values, shape));
    if (sum_.gradients == 0) {
      const auto list = indices.flat<int64_t>();
      sum_.values = values;
      sum_.indices.assign(list.begin(), list.end());
      sum_.counts.assign(list.size(), 1);
    } else {
      MR_RETURN_IF_ERROR(AddSlices(ctx, indices, values));
    }
    ++sum_.gradients;
  }
  StateChanged();
  return OkStatus();
}

void Accumulator::Take(KernelContext& ctx, int64_t num_required,
                       absl::AnyInvocable<Status(Sum)> use, Done done) {
  auto taken = std::make_shared<Sum>();
  Start(ctx,
        absl::StrCat("take of ", num_required, " gradients from accumulator ",
                     name_),
        /*ordered=*/true,
        [this, num_required, taken](Status*) {
          if (sum_.gradients < num_required) return false;
          *taken = std::exchange(sum_, Sum());
          ++global_step_;
          return true;
        },
        Done([alive = Ref<Accumulator>::Share(this), &ctx, taken,
              use = std::move(use),
              done = std::move(done)](Status status) mutable {
          if (status.ok() && alive->options_.mean) {
            status = Average(*taken, ctx.allocator());
          }
          if (status.ok()) status = use(std::move(*taken));
          std::move(done)(std::move(status));
        }),
        {.unit = "gradient", .count = [this, num_required](bool is_first) {
           // Earlier takes get the first gradients.
           if (!is_first) return num_required;
           return std::max<int64_t>(1, num_required - sum_.gradients);
         }});
}

int64_t Accumulator::num_accumulated() const {
  MutexLock lock(mu_);
  return sum_.gradients;
}

void Accumulator::SetGlobalStep(int64_t step) {
  MutexLock lock(mu_);
  if (step < global_step_) {
    MR_LOG(Warning) << "accumulator " << name_
                    << ": the global step goes back from " << global_step_
                    << " to " << step;
  }
  global_step_ = step;
}

}  // namespace millrace::ops
