#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "millrace/base/memory/counted_table.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/random/range_sampler.h"

namespace millrace::ops {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// After as many draws of points that are taken already, the first free one is
// chosen: by rounding these may have all the weight.
constexpr int kMaxDraws = 10'000;

Status CheckMatrixInput(KernelContext& ctx, int input, const char* name) {
  if (ctx.input(input).rank() == 2) return OkStatus();
  return InvalidArgument("Input ", name, " should be a matrix.");
}

Status CheckScalarInput(KernelContext& ctx, int input, const char* name) {
  if (ctx.input(input).rank() == 0) return OkStatus();
  return InvalidArgument("Input ", name, " should be a scalar.");
}

// The rows of a matrix, with the half of their squared norms.
class Points {
 public:
  // `matrix` must outlive this. Matrices without columns may have more rows
  // than there is memory for.
  static StatusOr<Points> Of(KernelContext& ctx, const Tensor& matrix) {
    Points p(matrix);
    if (p.rows_ > (int64_t{1} << 48)) {
      return ResourceExhausted("a matrix of ", p.rows_, " points");
    }
    p.half_norms_.resize(static_cast<size_t>(p.rows_));
    float* const norms = p.half_norms_.data();
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(p.rows_, 5 + p.size_, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            norms[i] = 0.5f * p.Product(p.row(i), p.row(i));
          }
        }));
    return p;
  }

  int64_t rows() const { return rows_; }
  int64_t size() const { return size_; }
  const float* row(int64_t i) const { return data_ + i * size_; }
  float half_norm(int64_t i) const {
    return half_norms_[static_cast<size_t>(i)];
  }
  float Product(const float* a, const float* b) const {
    float sum = 0;
    for (int64_t d = 0; d < size_; ++d) sum += a[d] * b[d];
    return sum;
  }
  // Returns half of the squared distance of row i from a row of `other`.
  float HalfSquaredDistance(int64_t i, const Points& other, int64_t j) const {
    return half_norm(i) - Product(row(i), other.row(j)) + other.half_norm(j);
  }

 private:
  explicit Points(const Tensor& matrix)
      : rows_(matrix.dim(0)),
        size_(matrix.dim(1)),
        data_(matrix.flat<float>().data()) {}

  int64_t rows_, size_;
  const float* data_;
  CountedVector<float> half_norms_;
};

// Draws points for k-means++. For one run.
class CenterSampler {
 public:
  CenterSampler(KernelContext& ctx, const Points& points, int64_t seed)
      : ctx_(ctx),
        points_(points),
        generator_(static_cast<uint64_t>(seed)),
        bits_(&generator_),
        distances_(static_cast<size_t>(points.rows()), kInfinity),
        sums_(distances_.size()) {}

  // Returns the next center, the best of `candidates`.
  StatusOr<int64_t> Next(int64_t candidates) {
    std::partial_sum(distances_.begin(), distances_.end(), sums_.begin());
    int64_t best = 0;
    float least = kInfinity;
    CountedVector<float> kept, tried(distances_.size());
    for (int64_t i = 0; i < candidates; ++i) {
      MR_RETURN_IF_ERROR(ctx_.CheckCancelled());
      const int64_t candidate = Draw();
      MR_RETURN_IF_ERROR(DistancesWith(candidate, &tried));
      float sum = 0;
      if (candidates > 1)
        sum = std::accumulate(tried.begin(), tried.end(), 0.0f);
      if (candidates > 1 && !(sum < least)) continue;
      least = sum;
      best = candidate;
      kept.swap(tried);
      tried.resize(distances_.size());
    }
    if (!kept.empty()) distances_.swap(kept);
    MR_RETURN_IF_ERROR(chosen_.MakeRoom());
    chosen_->insert(best);
    return best;
  }

 private:
  int64_t Draw() {
    const int64_t last = points_.rows() - 1;
    if (chosen_->empty()) {
      return static_cast<int64_t>(
          bits_.Below64(static_cast<uint64_t>(points_.rows())));
    }
    for (int draw = 0; draw < kMaxDraws; ++draw) {
      const float limit = bits_.Float() * sums_.back();
      const int64_t index =
          std::upper_bound(sums_.begin(), sums_.end(), limit) - sums_.begin();
      // Behind the end if the sum is no number or everything is at a center.
      if (index > last) return last;
      if (!chosen_->contains(index)) return index;
    }
    int64_t free = 0;
    while (free < last && chosen_->contains(free)) ++free;
    return free;
  }

  // Sets the distances from the nearest center if `candidate` is one.
  Status DistancesWith(int64_t candidate, CountedVector<float>* out) {
    return ctx_.ParallelFor(
        points_.rows(), 5 + points_.size(), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const auto at = static_cast<size_t>(i);
            (*out)[at] = std::min(distances_[at], points_.HalfSquaredDistance(
                                                      i, points_, candidate));
          }
        });
  }

  KernelContext& ctx_;
  const Points& points_;
  Philox4x32 generator_;
  SamplerBits bits_;
  // Halves of squares, from the nearest center; and their sums up to each.
  CountedVector<float> distances_, sums_;
  CountedTable<absl::flat_hash_set<int64_t>> chosen_{"the centers chosen"};
};

Status RunKmeansPlusPlus(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckMatrixInput(ctx, 0, "points"));
  MR_RETURN_IF_ERROR(CheckScalarInput(ctx, 1, "num_to_sample"));
  MR_RETURN_IF_ERROR(CheckScalarInput(ctx, 2, "seed"));
  MR_RETURN_IF_ERROR(CheckScalarInput(ctx, 3, "num_retries_per_sample"));
  const Tensor& matrix = ctx.input(0);
  const int64_t count = ctx.input(1).scalar<int64_t>();
  int64_t retries = ctx.input(3).scalar<int64_t>();
  if (matrix.dim(0) == 0) return InvalidArgument("Expected points.rows() > 0.");
  if (count <= 0) return InvalidArgument("Expected num_to_sample > 0.");
  if (count > matrix.dim(0)) {
    return InvalidArgument("Expected num_to_sample <= points.rows(). ", count,
                           " vs ", matrix.dim(0), ".");
  }
  if (retries < 0) {
    retries = 2 + static_cast<int64_t>(std::log(static_cast<double>(count)));
  }
  retries = std::min(retries, std::numeric_limits<int64_t>::max() - 1);
  const int64_t size = matrix.dim(1);
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({count, size})));
  MR_ASSIGN_OR_RETURN(const Points points, Points::Of(ctx, matrix));
  CenterSampler sampler(ctx, points, ctx.input(2).scalar<int64_t>());
  float* to = out->mutable_flat<float>().data();
  for (int64_t i = 0; i < count; ++i, to += size) {
    MR_ASSIGN_OR_RETURN(const int64_t center, sampler.Next(1 + retries));
    std::copy_n(points.row(center), size, to);
  }
  return OkStatus();
}

Status RunKmc2(KernelContext& ctx) {
  if (ctx.input(0).rank() != 1)
    return InvalidArgument("Input distances should be a vector.");
  MR_RETURN_IF_ERROR(CheckScalarInput(ctx, 1, "seed"));
  const auto distances = ctx.input(0).flat<float>();
  if (distances.empty())
    return InvalidArgument("Expected distances_tensor.size() > 0.");
  Philox4x32 generator(static_cast<uint64_t>(ctx.input(1).scalar<int64_t>()));
  SamplerBits bits(&generator);
  size_t chosen = 0;
  for (size_t i = 1; i < distances.size(); ++i) {
    if (distances[i] > bits.Float() * distances[chosen]) chosen = i;
  }
  ctx.set_output(0, Tensor::Scalar<int64_t>(static_cast<int64_t>(chosen)));
  return OkStatus();
}

struct Neighbor {
  float distance;  // the square of it
  int64_t center;
};

// Orders by distance, then by number. What is no number counts as nearest, as
// in stock where it comes first.
bool IsNearer(const Neighbor& a, const Neighbor& b) {
  const bool a_is_nan = std::isnan(a.distance);
  const bool b_is_nan = std::isnan(b.distance);
  if (a_is_nan != b_is_nan) return a_is_nan;
  if (!a_is_nan && a.distance != b.distance) return a.distance < b.distance;
  return a.center < b.center;
}

// Sets the nearest centers of point i.
void FindNearest(const Points& points, const Points& centers, int64_t i,
                 int64_t k, CountedVector<Neighbor>* scratch, int64_t* indices,
                 float* distances) {
  const auto neighbor = [&](int64_t j) {
    // Not std::max, which would lose what is no number.
    const float d = 2 * points.HalfSquaredDistance(i, centers, j);
    return Neighbor{d < 0 ? 0 : d, j};
  };
  if (k == 1) {
    Neighbor best = neighbor(0);
    for (int64_t j = 1; j < centers.rows(); ++j) {
      const Neighbor other = neighbor(j);
      if (other.distance < best.distance) best = other;
    }
    *indices = best.center;
    *distances = best.distance;
    return;
  }
  scratch->clear();
  for (int64_t j = 0; j < centers.rows(); ++j) scratch->push_back(neighbor(j));
  std::partial_sort(scratch->begin(), scratch->begin() + k, scratch->end(),
                    IsNearer);
  for (int64_t n = 0; n < k; ++n) {
    const Neighbor& one = (*scratch)[static_cast<size_t>(n)];
    indices[n] = one.center;
    distances[n] = one.distance;
  }
}

Status RunNearestNeighbors(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckMatrixInput(ctx, 0, "points"));
  MR_RETURN_IF_ERROR(CheckMatrixInput(ctx, 1, "centers"));
  MR_RETURN_IF_ERROR(CheckScalarInput(ctx, 2, "k"));
  const Tensor& points_in = ctx.input(0);
  const Tensor& centers_in = ctx.input(1);
  if (points_in.dim(0) == 0)
    return InvalidArgument("Expected points.rows() > 0.");
  if (points_in.dim(1) != centers_in.dim(1)) {
    return InvalidArgument("Expected point_dimensions == center_dimensions: ",
                           points_in.dim(1), " vs ", centers_in.dim(1), ".");
  }
  const int64_t wanted = ctx.input(2).scalar<int64_t>();
  if (wanted < 0) return InvalidArgument("Expected k >= 0, got ", wanted, ".");
  const int64_t k = std::min(wanted, centers_in.dim(0));
  const DimVector dims = {points_in.dim(0), k};
  MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor* const indices, ctx.AllocateOutput(0, shape));
  MR_ASSIGN_OR_RETURN(Tensor* const distances, ctx.AllocateOutput(1, shape));
  if (k == 0) return OkStatus();
  MR_ASSIGN_OR_RETURN(const Points points, Points::Of(ctx, points_in));
  MR_ASSIGN_OR_RETURN(const Points centers, Points::Of(ctx, centers_in));
  int64_t* const to_indices = indices->mutable_flat<int64_t>().data();
  float* const to_distances = distances->mutable_flat<float>().data();
  return ctx.ParallelFor(points.rows(), centers.rows() * (10 + points.size()),
                         [&](int64_t begin, int64_t end) {
                           CountedVector<Neighbor> scratch;
                           for (int64_t i = begin; i < end; ++i) {
                             FindNearest(points, centers, i, k, &scratch,
                                         to_indices + i * k,
                                         to_distances + i * k);
                           }
                         });
}

}  // namespace

MR_KERNELS(KmeansPlusPlusInitialization,
           Cpu){{.make = MakeFunctionKernel<RunKmeansPlusPlus>}};
MR_KERNELS(KMC2ChainInitialization, Cpu){{.make = MakeFunctionKernel<RunKmc2>}};
MR_KERNELS(NearestNeighbors,
           Cpu){{.make = MakeFunctionKernel<RunNearestNeighbors>}};

}  // namespace millrace::ops
