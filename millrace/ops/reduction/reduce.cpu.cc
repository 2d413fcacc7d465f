#include "millrace/ops/reduction/reduce.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace millrace::ops {
namespace {

// The outputs that are accumulated together; their accumulators fit into a
// stack frame.
constexpr int64_t kTile = 512;
constexpr size_t kMaxAccBytes = 16;
// A reduction to a few outputs is cut into slices of at least this many
// elements. The cut depends on the shape alone, so results are the same for any
// number of threads.
constexpr int64_t kSliceElements = int64_t{1} << 16;
constexpr int64_t kMaxSlices = 64;
constexpr int64_t kPicosPerElement = 120;

struct Dim {
  int64_t size;
  int64_t stride;
};

// The input as outer dimensions (kept and reduced ones) around an innermost
// pair, of which one is kept and one is reduced.
struct Layout {
  absl::InlinedVector<Dim, 4> outer_kept;
  absl::InlinedVector<Dim, 4> outer_reduced;
  int64_t outer_kept_count = 1;
  int64_t outer_reduced_count = 1;
  bool inner_is_reduced = true;
  int64_t inner = 1;  // size of the contiguous dimension
  int64_t rows = 1;   // size of the one around it, of the other kind
  // Return the sizes of the innermost pair.
  int64_t kept() const { return inner_is_reduced ? rows : inner; }
  int64_t reduced() const { return inner_is_reduced ? inner : rows; }
};

int64_t OffsetOf(const absl::InlinedVector<Dim, 4>& dims, int64_t index) {
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    offset += index % dims[d].size * dims[d].stride;
    index /= dims[d].size;
  }
  return offset;
}

Layout MakeLayout(const TensorShape& shape, const std::vector<bool>& reduced) {
  struct Merged {
    int64_t size;
    bool reduced;
  };
  absl::InlinedVector<Merged, 4> dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1) continue;
    if (!dims.empty() && dims.back().reduced == reduced[d]) {
      dims.back().size *= shape.dim(d);
    } else {
      dims.push_back({shape.dim(d), reduced[d]});
    }
  }
  Layout l;
  int64_t stride = 1;
  if (!dims.empty()) {
    l.inner_is_reduced = dims.back().reduced;
    l.inner = dims.back().size;
    stride = l.inner;
    dims.pop_back();
  }
  if (!dims.empty()) {
    l.rows = dims.back().size;
    stride *= l.rows;
    dims.pop_back();
  }
  while (!dims.empty()) {
    const Merged m = dims.back();
    auto& list = m.reduced ? l.outer_reduced : l.outer_kept;
    list.insert(list.begin(), {m.size, stride});
    (m.reduced ? l.outer_reduced_count : l.outer_kept_count) *= m.size;
    stride *= m.size;
    dims.pop_back();
  }
  return l;
}

StatusOr<std::vector<bool>> ReducedDims(const Tensor& axes, int rank) {
  std::vector<bool> reduced(rank, false);
  for (int64_t axis : IntValues(axes)) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension (", axis,
                             " for input with ", rank, " dimension(s)");
    }
    const int64_t d = axis < 0 ? axis + rank : axis;
    if (reduced[d]) {
      return InvalidArgument(
          "Invalid reduction arguments: Axes contains duplicate dimension: ",
          d);
    }
    reduced[d] = true;
  }
  return reduced;
}

class ReduceKernel {
 public:
  ReduceKernel(const ReduceLoops& loops, bool keeps_one, bool keep_dims,
               size_t element_bytes)
      : loops_(loops),
        keeps_one_(keeps_one),
        keep_dims_(keep_dims),
        element_bytes_(element_bytes) {}

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const ReducePlan plan,
                        PlanReduction(x.shape(), ctx.input(1), keep_dims_));
    const TensorShape& shape = plan.shape;
    const int64_t count = plan.count;
    if (count == 1 && keeps_one_) {
      ctx.set_output(0, x.Reshaped(shape));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    char* out = z->mutable_data();
    if (x.num_elements() == 0) {
      FillEmpty(count, out, shape.num_elements());
      return OkStatus();
    }
    return Reduce(ctx, MakeLayout(x.shape(), plan.reduced), x.data(), count,
                  out);
  }

 private:
  void FillEmpty(int64_t count, char* out, int64_t n) const {
    alignas(16) char acc[kMaxAccBytes];
    loops_.init(acc, 1);
    for (int64_t i = 0; i < n; ++i) {
      loops_.finish(acc, count, out + i * element_bytes_, 1);
    }
  }

  Status Reduce(KernelContext& ctx, const Layout& l, const char* x,
                int64_t count, char* out) const {
    // Where rows are reduced, a few whole ones are enough for a tile: parts of
    // rows, which slices would be, cost more.
    const int64_t tile_size =
        l.inner_is_reduced
            ? std::clamp<int64_t>(kSliceElements / count, 1, kTile)
            : kTile;
    const int64_t tiles_in_pair = (l.kept() + tile_size - 1) / tile_size;
    const int64_t tiles = l.outer_kept_count * tiles_in_pair;
    const int64_t outputs = l.outer_kept_count * l.kept();
    const int64_t elements = outputs * count;
    int64_t slices = 1;
    if (tiles < kMaxSlices) {
      const int64_t wanted =
          elements / kSliceElements / (l.inner_is_reduced ? tiles : 1);
      slices = std::clamp<int64_t>(wanted, 1, kMaxSlices / tiles);
      slices = std::min(slices, std::max(l.outer_reduced_count, l.reduced()));
    }
    Tensor partial;
    char* accs = nullptr;
    if (slices > 1) {
      MR_ASSIGN_OR_RETURN(
          partial, ctx.AllocateTemp(
                       DataType::kUint8,
                       TensorShape({slices * outputs *
                                    static_cast<int64_t>(loops_.acc_bytes)})));
      accs = partial.mutable_data();
    }
    const int64_t items = tiles * slices;
    const int64_t nanos =
        std::max<int64_t>(1, elements / items * kPicosPerElement / 1000);
    MR_RETURN_IF_ERROR(ctx.ParallelFor(items, nanos, [&](int64_t b, int64_t e) {
      alignas(64) char local[kTile * kMaxAccBytes];
      for (int64_t item = b; item < e; ++item) {
        const int64_t slice = item / tiles;
        const int64_t tile = item % tiles;
        const int64_t outer = tile / tiles_in_pair;
        const int64_t begin = tile % tiles_in_pair * tile_size;
        const int64_t n = std::min(tile_size, l.kept() - begin);
        const int64_t at = outer * l.kept() + begin;
        char* acc = slices == 1
                        ? local
                        : accs + (slice * outputs + at) * loops_.acc_bytes;
        loops_.init(acc, n);
        const int64_t offset = OffsetOf(l.outer_kept, outer) +
                               begin * (l.inner_is_reduced ? l.inner : 1);
        Tile(l, x + offset * element_bytes_, slice, slices, n, acc);
        if (slices == 1) {
          loops_.finish(acc, count, out + at * element_bytes_, n);
        }
      }
    }));
    if (slices > 1) {
      for (int64_t s = 1; s < slices; ++s) {
        loops_.merge(accs, accs + s * outputs * loops_.acc_bytes, outputs);
      }
      loops_.finish(accs, count, out, outputs);
    }
    return OkStatus();
  }

  // Computes part `slice` of `slices` of the reduction to n outputs, whose
  // first element is at x.
  void Tile(const Layout& l, const char* x, int64_t slice, int64_t slices,
            int64_t n, char* acc) const {
    int64_t r_begin = 0, r_end = l.outer_reduced_count;
    int64_t i_begin = 0, i_end = l.reduced();
    if (r_end >= slices) {
      r_begin = slice * r_end / slices;
      r_end = (slice + 1) * r_end / slices;
    } else {
      i_begin = slice * l.reduced() / slices;
      i_end = (slice + 1) * l.reduced() / slices;
    }
    for (int64_t r = r_begin; r < r_end; ++r) {
      const char* at = x + OffsetOf(l.outer_reduced, r) *
                               static_cast<int64_t>(element_bytes_);
      if (l.inner_is_reduced) {
        loops_.rows(at + i_begin * element_bytes_, l.inner, n, i_end - i_begin,
                    acc);
      } else {
        loops_.columns(at + i_begin * l.inner * element_bytes_, l.inner,
                       i_end - i_begin, n, acc);
      }
    }
  }

  ReduceLoops loops_;
  bool keeps_one_;
  bool keep_dims_;
  size_t element_bytes_;
};

}  // namespace

StatusOr<ReducePlan> PlanReduction(const TensorShape& x, const Tensor& axes,
                                   bool keep_dims) {
  ReducePlan plan;
  MR_ASSIGN_OR_RETURN(plan.reduced, ReducedDims(axes, x.rank()));
  DimVector dims;
  for (int d = 0; d < x.rank(); ++d) {
    if (plan.reduced[d]) plan.count *= x.dim(d);
    if (plan.reduced[d] && keep_dims) dims.push_back(1);
    if (!plan.reduced[d]) dims.push_back(x.dim(d));
  }
  // Without a dimension of size 0, the product of the others may overflow.
  MR_ASSIGN_OR_RETURN(plan.shape, TensorShape::Make(dims));
  return plan;
}

StatusOr<std::unique_ptr<Kernel>> MakeReduceKernel(const KernelInit& init,
                                                   const ReduceTable& table) {
  const DataType type = RemoveRef(init.input_type(0));
  const ReduceLoops& loops = table.loops[static_cast<int>(type)];
  if (loops.init == nullptr) {
    return Internal("no loop for dtype ", DataTypeName(type));
  }
  MR_ASSIGN_OR_RETURN(bool keep_dims, init.Attr<bool>("keep_dims"));
  return std::unique_ptr<Kernel>(new millrace::internal::KernelOf<ReduceKernel>(
      loops, table.keeps_one, keep_dims, SizeOf(type)));
}

}  // namespace millrace::ops
