// Kernels of segment ops, sorted and unsorted, with the loops of the
// reductions.
#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/reduce.h"
#include "millrace/ops/reduction/segment.h"

namespace millrace::ops {

Status CheckSegments(const TensorShape& data, const TensorShape& ids) {
  if (data.rank() < 1) return InvalidArgument("input must be at least rank 1");
  if (ids.rank() != 1) {
    return InvalidArgument("segment_ids should be a vector.");
  }
  if (ids.num_elements() != data.dim(0)) {
    return InvalidArgument(
        "segment_ids should be the same size as dimension 0 of input.");
  }
  return OkStatus();
}

StatusOr<TensorShape> UnsortedSegmentShape(const TensorShape& data,
                                           const TensorShape& ids,
                                           const Tensor& num_segments) {
  if (num_segments.rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not shape ",
                           num_segments.shape().DebugString());
  }
  const int64_t count = IntValues(num_segments)[0];
  bool prefix = ids.rank() <= data.rank();
  for (int d = 0; prefix && d < ids.rank(); ++d) {
    prefix = ids.dim(d) == data.dim(d);
  }
  if (!prefix) {
    return InvalidArgument(
        "data.shape = ", data.DebugString(),
        " does not start with segment_ids.shape = ", ids.DebugString());
  }
  if (count < 0) {
    return InvalidArgument("Input num_segments == ", count,
                           " must not be negative.");
  }
  DimVector dims = {count};
  for (int d = ids.rank(); d < data.rank(); ++d) dims.push_back(data.dim(d));
  return TensorShape::Make(dims);
}

namespace {

constexpr int64_t kSegmentTile = 512;

enum class Reduction { kSum, kMean, kProd, kMin, kMax };

const ReduceTable& TableOf(Reduction r) {
  switch (r) {
    case Reduction::kSum:
      return SumReduction();
    case Reduction::kMean:
      return MeanReduction();
    case Reduction::kProd:
      return ProdReduction();
    case Reduction::kMin:
      return MinReduction();
    default:
      return MaxReduction();
  }
}

enum class Ids { kSorted, kAnyOrder };

// Returns the value of a segment without rows.
template <class T>
T EmptySegment(Reduction r, Ids ids) {
  if (r == Reduction::kProd) return T(1);
  if constexpr (!Complex<T>) {
    using L = std::numeric_limits<ComputeType<T>>;
    const bool half = std::is_same_v<T, Half>;
    const bool bfloat16 = std::is_same_v<T, Bfloat16>;
    if (ids == Ids::kAnyOrder &&
        (r == Reduction::kMin || r == Reduction::kMax)) {
      const bool largest = r == Reduction::kMin;
      if (half) return T(largest ? 65504.0f : -65504.0f);
      if (bfloat16) return T(largest ? 3.38953139e38f : -3.38953139e38f);
      return static_cast<T>(largest ? L::max() : L::lowest());
    }
  }
  return T(0);
}

// The rows of one segment of the output: order[begin, end), or the rows [begin,
// end) if there is no order.
struct Segment {
  int64_t out, begin, end;
};

class Reducer {
 public:
  Reducer(DataType type, Reduction reduction, Ids ids)
      : loops_(TableOf(reduction).loops[static_cast<int>(type)]),
        bytes_(static_cast<int64_t>(SizeOf(type))),
        type_(type),
        reduction_(reduction),
        ids_(ids) {}

  void FillEmpty(char* out, int64_t n) const {
    Dispatch(NumericTypes(), type_, [&]<class T>() {
      std::fill_n(reinterpret_cast<T*>(out), n,
                  EmptySegment<T>(reduction_, ids_));
      return OkStatus();
    }).IgnoreError();
  }

  void Reduce(const Segment& s, const char* x, const int64_t* order,
              int64_t inner, char* out) const {
    alignas(64) char acc[kSegmentTile * 16];
    char* z = out + s.out * inner * bytes_;
    if (s.begin == s.end) return FillEmpty(z, inner);
    for (int64_t j = 0; j < inner; j += kSegmentTile) {
      const int64_t n = std::min(kSegmentTile, inner - j);
      loops_.init(acc, n);
      if (order == nullptr && inner == 1) {
        loops_.rows(x + s.begin * bytes_, 0, 1, s.end - s.begin, acc);
      } else if (order == nullptr) {
        loops_.columns(x + (s.begin * inner + j) * bytes_, inner,
                       s.end - s.begin, n, acc);
      } else {
        for (int64_t r = s.begin; r < s.end; ++r) {
          loops_.columns(x + (order[r] * inner + j) * bytes_, inner, 1, n, acc);
        }
      }
      loops_.finish(acc, s.end - s.begin, z + j * bytes_, n);
    }
  }

 private:
  ReduceLoops loops_;
  int64_t bytes_;
  DataType type_;
  Reduction reduction_;
  Ids ids_;
};

int64_t IdAt(const Tensor& ids, int64_t i) {
  switch (ids.dtype()) {
    case DataType::kInt16:
      return ids.flat<int16_t>()[i];
    case DataType::kInt32:
      return ids.flat<int32_t>()[i];
    default:
      return ids.flat<int64_t>()[i];
  }
}

Status ReduceAll(KernelContext& ctx, const Reducer& reducer,
                 const std::vector<Segment>& segments, const int64_t* order,
                 int64_t inner, Tensor& z) {
  const char* x = ctx.input(0).data();
  char* out = z.mutable_data();
  const int64_t count = static_cast<int64_t>(segments.size());
  const int64_t elements = ctx.input(0).num_elements() + z.num_elements();
  const int64_t nanos = 20 + elements / std::max<int64_t>(1, count) / 4;
  return ctx.ParallelFor(count, nanos, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      reducer.Reduce(segments[i], x, order, inner, out);
    }
  });
}

// Also lists the segments without rows.
StatusOr<std::vector<Segment>> SortedSegments(const Tensor& ids, int64_t rows) {
  const int64_t n = ids.num_elements();
  std::vector<Segment> segments;
  int64_t next_out = 0;
  for (int64_t begin = 0; begin < n;) {
    const int64_t id = IdAt(ids, begin);
    int64_t end = begin + 1;
    while (end < n && IdAt(ids, end) == id) ++end;
    if (end < n && IdAt(ids, end) < id) {
      return InvalidArgument("segment ids are not increasing");
    }
    if (id < 0 || id >= rows) {
      return InvalidArgument(
          "Segment id ", id, " out of range [0, ", rows,
          "), possibly because 'segment_ids' input is not sorted.");
    }
    for (; next_out < id; ++next_out) segments.push_back({next_out, 0, 0});
    segments.push_back({id, begin, end});
    next_out = id + 1;
    begin = end;
  }
  return segments;
}

// There may be more segments than the output has bytes.
Status ChargeSegments(int64_t segments, int64_t places, MemoryCharge* charge) {
  constexpr auto kSegmentBytes = static_cast<int64_t>(sizeof(Segment));
  MR_ASSIGN_OR_RETURN(
      const int64_t bytes,
      (CheckedSize(segments) * kSegmentBytes + CheckedSize(places) * 8)
          .Get("the memory of segments"));
  return charge->Set(bytes, "segments");
}

template <Reduction kReduction>
Status RunSegment(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& ids = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckSegments(data.shape(), ids.shape()));
  const int64_t n = ids.num_elements();
  const int64_t rows = n > 0 ? IdAt(ids, n - 1) + 1 : 0;
  if (rows < 0 || (rows == 0 && n > 0))
    return InvalidArgument("segment ids must be >= 0");
  DimVector dims = data.shape().dims();
  dims[0] = rows;
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, std::move(shape)));
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(ChargeSegments(rows, 0, &charge));
  MR_ASSIGN_OR_RETURN(std::vector<Segment> segments, SortedSegments(ids, rows));
  const int64_t inner = data.shape().NumElements(1, data.rank());
  return ReduceAll(ctx, Reducer(data.dtype(), kReduction, Ids::kSorted),
                   segments, nullptr, inner, *z);
}

// Returns the index of element i of a tensor of this shape, such as "[1,2]".
std::string IndexText(const TensorShape& shape, int64_t i) {
  DimVector index(shape.rank());
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[d] = i % shape.dim(d);
    i /= shape.dim(d);
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

template <Reduction kReduction>
Status RunUnsortedSegment(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& ids = ctx.input(1);
  MR_ASSIGN_OR_RETURN(
      TensorShape shape,
      UnsortedSegmentShape(data.shape(), ids.shape(), ctx.input(2)));
  const int64_t count = shape.dim(0);
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, std::move(shape)));

  // The rows by segment, in order.
  const int64_t n = ids.num_elements();
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(ChargeSegments(count, n, &charge));
  std::vector<Segment> segments(count);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t id = IdAt(ids, i);
    if (id < 0) continue;
    if (id >= count) {
      return InvalidArgument("segment_ids", IndexText(ids.shape(), i), " = ",
                             id, " is out of range [0, ", count, ")");
    }
    ++segments[id].end;
  }
  int64_t at = 0;
  for (int64_t s = 0; s < count; ++s) {
    const int64_t rows = segments[s].end;
    segments[s] = {s, at, at};
    at += rows;
  }
  std::vector<int64_t> order(at);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t id = IdAt(ids, i);
    if (id >= 0) order[segments[id].end++] = i;
  }
  const int64_t inner = data.shape().NumElements(ids.rank(), data.rank());
  return ReduceAll(ctx, Reducer(data.dtype(), kReduction, Ids::kAnyOrder),
                   segments, order.data(), inner, *z);
}

constexpr char kSegmentNumbers[] =
    "T: bfloat16, half, float, double, int8, int16, int32, int64, uint8, "
    "uint16, uint32, uint64, complex64, complex128";

template <Reduction kReduction>
constexpr KernelMaker kSorted = MakeFunctionKernel<RunSegment<kReduction>>;
template <Reduction kReduction>
constexpr KernelMaker kUnsorted =
    MakeFunctionKernel<RunUnsortedSegment<kReduction>>;

}  // namespace

MR_KERNELS(SegmentSum,
           Cpu){{.types = kSegmentNumbers, .make = kSorted<Reduction::kSum>}};
MR_KERNELS(SegmentMean,
           Cpu){{.types = kSegmentNumbers, .make = kSorted<Reduction::kMean>}};
MR_KERNELS(SegmentProd,
           Cpu){{.types = kSegmentNumbers, .make = kSorted<Reduction::kProd>}};
MR_KERNELS(SegmentMin, Cpu){{.make = kSorted<Reduction::kMin>}};
MR_KERNELS(SegmentMax, Cpu){{.make = kSorted<Reduction::kMax>}};
MR_KERNELS(UnsortedSegmentSum,
           Cpu){{.types = kSegmentNumbers, .make = kUnsorted<Reduction::kSum>}};
MR_KERNELS(UnsortedSegmentProd, Cpu){
    {.types = kSegmentNumbers, .make = kUnsorted<Reduction::kProd>}};
MR_KERNELS(UnsortedSegmentMin, Cpu){{.make = kUnsorted<Reduction::kMin>}};
MR_KERNELS(UnsortedSegmentMax, Cpu){{.make = kUnsorted<Reduction::kMax>}};

}  // namespace millrace::ops
