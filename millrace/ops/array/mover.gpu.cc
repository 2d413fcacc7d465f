#include "millrace/ops/array/mover.gpu.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"

MR_GPU_SOURCE(array_mover);

namespace millrace::ops {
namespace {

constexpr int kWidths = 5;
constexpr int64_t kMaxWidth = 16;
constexpr int kMaxRowParts = 64;

// Returns 0 for 1 byte, ..., 4 for 16 bytes.
int WidthIndex(int64_t width) {
  int i = 0;
  while ((int64_t{1} << i) < width) ++i;
  return i;
}

// Returns the largest width of elements, a multiple of `width`, by which all
// `bytes` are divisible.
int64_t WidestOf(int64_t width, std::initializer_list<int64_t> bytes) {
  int64_t all = kMaxWidth;
  for (const int64_t b : bytes) all = std::gcd(all, b);
  return std::max(width, std::min(all, kMaxWidth));
}

GpuDivisor DivisorOf(int64_t by) {
  return GpuDivisor(static_cast<uint32_t>(by));
}

// The arguments of device text; as there.
template <int kRank>
struct CopyArgs {
  uint64_t from, to;
  uint32_t count;
  GpuDivisor dims[kRank];
  int64_t from_strides[kRank], to_strides[kRank];
};
struct TransposeArgs {
  uint64_t from, to;
  int64_t rows, columns, from_stride, to_stride;
  uint32_t row_tiles, column_tiles, outer_count;
  GpuDivisor outer[4];
  int64_t outer_from[4], outer_to[4];
};
struct RowsArgs {
  uint64_t other;
  int64_t row;
  uint32_t count, parts;
  GpuDivisor width;
  uint64_t addresses[kMaxRowParts];
  int64_t places[kMaxRowParts];
  uint32_t begins[kMaxRowParts + 1];
};
struct alignas(16) Bytes16 {
  char bytes[16];
};
template <int kRank>
struct PadArgs {
  uint64_t from, to;
  uint32_t count;
  int mode;
  Bytes16 value;
  GpuDivisor dims[kRank];
  int64_t before[kRank], sizes[kRank], from_strides[kRank];
};

// Returns an element, repeated.
Bytes16 Repeated(const Tensor& value) {
  const size_t size = SizeOf(value.dtype());
  Bytes16 b;
  for (size_t at = 0; at < sizeof(b.bytes); at += size) {
    std::memcpy(b.bytes + at, value.data(), size);
  }
  return b;
}

int64_t CountOf(const StridedCopySpec& s) {
  int64_t count = 1;
  for (const int64_t d : s.dims) count *= d;
  return count;
}

// Orders dimensions as the destination has them, so that neighbouring threads
// write neighbouring elements.
void OrderByDestination(StridedCopySpec& s) {
  std::vector<size_t> order(s.dims.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::abs(s.dst_strides[a]) > std::abs(s.dst_strides[b]);
  });
  const StridedCopySpec old = s;
  for (size_t i = 0; i < order.size(); ++i) {
    s.dims[i] = old.dims[order[i]];
    s.src_strides[i] = old.src_strides[order[i]];
    s.dst_strides[i] = old.dst_strides[order[i]];
  }
}

// Makes elements as wide as possible and returns their width.
int64_t Widen(int64_t width, uintptr_t src, uintptr_t dst, StridedCopySpec& s) {
  const size_t last = s.dims.size() - 1;
  if (s.src_strides[last] != 1 || s.dst_strides[last] != 1) return width;
  int64_t wide = WidestOf(
      width, {s.dims[last] * width, static_cast<int64_t>(src % kMaxWidth),
              static_cast<int64_t>(dst % kMaxWidth), s.src_offset * width,
              s.dst_offset * width});
  for (size_t i = 0; i < last; ++i) {
    wide = WidestOf(width,
                    {wide, s.src_strides[i] * width, s.dst_strides[i] * width});
  }
  const int64_t factor = wide / width;
  s.dims[last] /= factor;
  s.src_offset /= factor;
  s.dst_offset /= factor;
  for (size_t i = 0; i < last; ++i) {
    s.src_strides[i] /= factor;
    s.dst_strides[i] /= factor;
  }
  return wide;
}

}  // namespace

// The part of a matrix that another tensor holds; places and sizes in elements.
struct GpuMover::RowsOf {
  uintptr_t address;
  int64_t begin, size;
};

StatusOr<GpuMover> GpuMover::Make(const KernelInit& init,
                                  const GpuMoves& moves) {
  GpuMover m;
  const GpuSource& source = MR_GPU_SOURCE_OF(array_mover);
  const auto load = [&](ByWidth& functions, absl::string_view name) -> Status {
    for (int i = 0; i < kWidths; ++i) {
      MR_ASSIGN_OR_RETURN(
          functions[static_cast<size_t>(i)],
          LoadGpuFunction(init, source,
                          absl::StrCat(name, "_", 1 << i).c_str()));
    }
    return OkStatus();
  };
  MR_ASSIGN_OR_RETURN(m.fill_, LoadGpuFunction(init, source, "Fill"));
  if (moves.copies || moves.rows) {
    MR_RETURN_IF_ERROR(load(m.copy2_, "Copy2"));
    MR_RETURN_IF_ERROR(load(m.copy4_, "Copy4"));
    MR_RETURN_IF_ERROR(load(m.copy8_, "Copy8"));
    MR_RETURN_IF_ERROR(load(m.transpose_, "Transpose"));
  }
  if (moves.rows) {
    MR_RETURN_IF_ERROR(load(m.join_, "Join"));
    MR_RETURN_IF_ERROR(load(m.split_, "Split"));
  }
  if (moves.pads) {
    MR_RETURN_IF_ERROR(load(m.pad4_, "Pad4"));
    MR_RETURN_IF_ERROR(load(m.pad8_, "Pad8"));
  }
  return m;
}

Status GpuMover::Copy(KernelContext& ctx, const Tensor& src, Tensor* dst,
                      const StridedCopySpec& spec) const {
  StridedCopySpec s = spec;
  OrderByDestination(s);
  if (!Simplify(s)) return OkStatus();
  int64_t width = static_cast<int64_t>(SizeOf(src.dtype()));
  const uintptr_t from = src.device_address(), to = dst->device_address();
  width = Widen(width, from, to, s);
  return CopyPart(ctx, width, from, to, s);
}

Status GpuMover::CopyPart(KernelContext& ctx, int64_t width, uintptr_t src,
                          uintptr_t dst, const StridedCopySpec& spec) const {
  const int64_t count = CountOf(spec);
  constexpr size_t kMaxRank = 8;
  if (count > kMaxGpuElements || spec.dims.size() > kMaxRank) {
    StridedCopySpec half = spec;
    const int64_t first = spec.dims[0] / 2;
    if (first == 0) {
      if (!Simplify(half)) return OkStatus();
      return CopyPart(ctx, width, src, dst, half);
    }
    half.dims[0] = first;
    MR_RETURN_IF_ERROR(CopyPart(ctx, width, src, dst, half));
    half.dims[0] = spec.dims[0] - first;
    half.src_offset += first * spec.src_strides[0];
    half.dst_offset += first * spec.dst_strides[0];
    return CopyPart(ctx, width, src, dst, half);
  }
  MR_ASSIGN_OR_RETURN(const bool transposed,
                      Transpose(ctx, width, src, dst, spec));
  if (transposed) return OkStatus();
  if (spec.dims.size() <= 2) {
    return LaunchCopy<2>(ctx, copy2_, width, src, dst, spec);
  }
  if (spec.dims.size() <= 4) {
    return LaunchCopy<4>(ctx, copy4_, width, src, dst, spec);
  }
  return LaunchCopy<8>(ctx, copy8_, width, src, dst, spec);
}

template <int kRank>
Status GpuMover::LaunchCopy(KernelContext& ctx, const ByWidth& functions,
                            int64_t width, uintptr_t src, uintptr_t dst,
                            const StridedCopySpec& spec) const {
  CopyArgs<kRank> a = {};
  a.from = src + static_cast<uintptr_t>(spec.src_offset * width);
  a.to = dst + static_cast<uintptr_t>(spec.dst_offset * width);
  const int64_t count = CountOf(spec);
  a.count = static_cast<uint32_t>(count);
  const size_t extra = kRank - spec.dims.size();
  for (size_t i = 0; i < spec.dims.size(); ++i) {
    a.dims[extra + i] = DivisorOf(spec.dims[i]);
    a.from_strides[extra + i] = spec.src_strides[i];
    a.to_strides[extra + i] = spec.dst_strides[i];
  }
  constexpr int64_t kBatch = 4;  // elements of a thread
  return LaunchGpu(ctx, functions[static_cast<size_t>(WidthIndex(width))],
                   GridOver((count + kBatch - 1) / kBatch), a);
}

StatusOr<bool> GpuMover::Transpose(KernelContext& ctx, int64_t width,
                                   uintptr_t src, uintptr_t dst,
                                   const StridedCopySpec& s) const {
  // Sides that are shorter than half a tile are copied as well without tiles.
  constexpr int64_t kLeastSide = 16;
  const size_t last = s.dims.size() - 1;
  if (s.dims.size() < 2 || s.dims.size() > 6 || s.dst_strides[last] != 1 ||
      s.src_strides[last] <= 1 || s.dims[last] < kLeastSide) {
    return false;
  }
  size_t rows = 0;
  while (rows < last &&
         (s.src_strides[rows] != 1 || s.dims[rows] < kLeastSide)) {
    ++rows;
  }
  if (rows == last) return false;
  const int64_t tile = width <= 2 ? 64 : 32;
  TransposeArgs a = {};
  a.from = src + static_cast<uintptr_t>(s.src_offset * width);
  a.to = dst + static_cast<uintptr_t>(s.dst_offset * width);
  a.rows = s.dims[rows];
  a.columns = s.dims[last];
  a.from_stride = s.src_strides[last];
  a.to_stride = s.dst_strides[rows];
  a.row_tiles = static_cast<uint32_t>((a.rows + tile - 1) / tile);
  a.column_tiles = static_cast<uint32_t>((a.columns + tile - 1) / tile);
  int64_t outer = 1;
  size_t at = 4 - (s.dims.size() - 2);
  for (size_t i = 0; i < last; ++i) {
    if (i == rows) continue;
    a.outer[at] = DivisorOf(s.dims[i]);
    a.outer_from[at] = s.src_strides[i];
    a.outer_to[at] = s.dst_strides[i];
    outer *= s.dims[i];
    ++at;
  }
  a.outer_count = static_cast<uint32_t>(outer);
  const int64_t tiles = int64_t{a.row_tiles} * a.column_tiles * outer;
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, transpose_[static_cast<size_t>(WidthIndex(width))],
                GpuGrid{.blocks = tiles, .strided = true}, a));
  return true;
}

Status GpuMover::Fill(KernelContext& ctx, Tensor* t,
                      const Tensor& value) const {
  const auto bytes = static_cast<int64_t>(t->size_bytes());
  if (bytes == 0) return OkStatus();
  return LaunchGpu(ctx, fill_, GridOver((bytes + 15) / 16), GpuOutput(*t),
                   static_cast<uint64_t>(bytes), Repeated(value));
}

Status GpuMover::Zero(KernelContext& ctx, Tensor* t) const {
  return Fill(ctx, t, ZeroElement(t->dtype()));
}

Status GpuMover::MoveRows(KernelContext& ctx, const ByWidth& functions,
                          absl::Span<const RowsOf> parts, int64_t width,
                          uintptr_t other, int64_t row, int64_t outer) const {
  int64_t wide =
      WidestOf(width, {row * width, static_cast<int64_t>(other % kMaxWidth)});
  for (const RowsOf& p : parts) {
    wide = WidestOf(width, {wide, p.begin * width, p.size * width,
                            static_cast<int64_t>(p.address % kMaxWidth)});
  }
  const int64_t factor = wide / width;
  const GpuFunction& function =
      functions[static_cast<size_t>(WidthIndex(wide))];
  for (size_t first = 0; first < parts.size(); first += kMaxRowParts) {
    const auto chunk = parts.subspan(first, kMaxRowParts);
    RowsArgs a = {};
    a.other = other;
    a.row = row / factor;
    a.parts = static_cast<uint32_t>(chunk.size());
    int64_t total = 0;
    for (size_t i = 0; i < chunk.size(); ++i) {
      a.addresses[i] = chunk[i].address;
      a.places[i] = chunk[i].begin / factor;
      a.begins[i] = static_cast<uint32_t>(total);
      total += chunk[i].size / factor;
    }
    a.begins[chunk.size()] = static_cast<uint32_t>(total);
    a.width = DivisorOf(total);
    a.count = static_cast<uint32_t>(total * outer);
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, function, GridOver(total * outer), a));
  }
  return OkStatus();
}

namespace {

// Longer parts are copied one by one, which is as fast and has no limits.
constexpr int64_t kLongPartBytes = int64_t{1} << 20;

}  // namespace

Status GpuMover::Join(KernelContext& ctx, absl::Span<const Part> parts,
                      int64_t outer, Tensor* dst) const {
  const auto width = static_cast<int64_t>(SizeOf(dst->dtype()));
  const int64_t row = dst->num_elements() / outer;
  std::vector<RowsOf> shorter;
  int64_t begin = 0;
  for (const Part& p : parts) {
    if (outer * p.row * width >= kLongPartBytes) {
      StridedCopySpec spec;
      spec.Add(outer, p.row, row);
      spec.Add(p.row, 1, 1);
      spec.dst_offset = begin;
      MR_RETURN_IF_ERROR(Copy(ctx, *p.tensor, dst, spec));
    } else if (p.row > 0) {
      shorter.push_back({p.tensor->device_address(), begin, p.row});
    }
    begin += p.row;
  }
  return MoveRows(ctx, join_, shorter, width, dst->device_address(), row,
                  outer);
}

Status GpuMover::Split(KernelContext& ctx, const Tensor& src, int64_t outer,
                       int64_t row, absl::Span<const Piece> pieces) const {
  const auto width = static_cast<int64_t>(SizeOf(src.dtype()));
  std::vector<RowsOf> shorter;
  for (const Piece& p : pieces) {
    if (outer * p.size * width >= kLongPartBytes) {
      StridedCopySpec spec;
      spec.Add(outer, row, p.size);
      spec.Add(p.size, 1, 1);
      spec.src_offset = p.begin;
      MR_RETURN_IF_ERROR(Copy(ctx, src, p.tensor, spec));
    } else if (p.size > 0) {
      shorter.push_back({p.tensor->device_address(), p.begin, p.size});
    }
  }
  return MoveRows(ctx, split_, shorter, width, src.device_address(), row,
                  outer);
}

template <int kRank>
Status GpuMover::LaunchPad(KernelContext& ctx, const ByWidth& functions,
                           int64_t width, uintptr_t src, uintptr_t dst,
                           absl::Span<const PaddedDim> dims, PadMode mode,
                           const Tensor& value) const {
  PadArgs<kRank> a = {};
  a.from = src;
  a.to = dst;
  a.mode = static_cast<int>(mode);
  if (mode == PadMode::kConstant) a.value = Repeated(value);
  const size_t extra = kRank - dims.size();
  for (size_t i = 0; i < kRank; ++i) a.sizes[i] = 1;
  int64_t count = 1, stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    a.dims[extra + i] = DivisorOf(dims[i].total());
    a.before[extra + i] = dims[i].before;
    a.sizes[extra + i] = dims[i].size;
    a.from_strides[extra + i] = stride;
    stride *= dims[i].size;
    count *= dims[i].total();
  }
  a.count = static_cast<uint32_t>(count);
  return LaunchGpu(ctx, functions[static_cast<size_t>(WidthIndex(width))],
                   GridOver(count), a);
}

Status GpuMover::PadByCopy(KernelContext& ctx, const Tensor& src, Tensor* dst,
                           absl::Span<const PaddedDim> dims,
                           const Tensor& value) const {
  MR_RETURN_IF_ERROR(Fill(ctx, dst, value));
  StridedCopySpec spec;
  int64_t src_stride = 1, dst_stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    spec.Add(dims[i].size, src_stride, dst_stride);
    spec.dst_offset += dims[i].before * dst_stride;
    src_stride *= dims[i].size;
    dst_stride *= dims[i].total();
  }
  return Copy(ctx, src, dst, spec);
}

Status GpuMover::Pad(KernelContext& ctx, const Tensor& src, Tensor* dst,
                     absl::Span<const PaddedDim> given, PadMode mode,
                     const Tensor& value) const {
  // Merges dimensions without padding into those before them: constant ones
  // always, mirrored ones among themselves.
  std::vector<PaddedDim> dims;
  for (const PaddedDim& p : given) {
    const bool plain = p.before == 0 && p.after == 0;
    const bool last_plain =
        !dims.empty() && dims.back().before == 0 && dims.back().after == 0;
    if (plain && !dims.empty() && (mode == PadMode::kConstant || last_plain)) {
      dims.back().size *= p.size;
      dims.back().before *= p.size;
      dims.back().after *= p.size;
    } else if (!plain || p.size != 1) {
      dims.push_back(p);
    }
  }
  if (dims.empty()) dims.push_back({1, 0, 0});
  PaddedDim& last = dims.back();
  auto width = static_cast<int64_t>(SizeOf(src.dtype()));
  const uintptr_t from = src.device_address(), to = dst->device_address();
  if (mode == PadMode::kConstant || (last.before == 0 && last.after == 0)) {
    const int64_t wide = WidestOf(
        width, {last.before * width, last.size * width, last.after * width,
                static_cast<int64_t>(from % kMaxWidth),
                static_cast<int64_t>(to % kMaxWidth)});
    last.before /= wide / width;
    last.size /= wide / width;
    last.after /= wide / width;
    width = wide;
  }
  int64_t count = 1;
  for (const PaddedDim& p : dims) count *= p.total();
  if (dims.size() > 8 || count > kMaxGpuElements) {
    if (mode == PadMode::kConstant)
      return PadByCopy(ctx, src, dst, given, value);
    return Unimplemented("Mirrored paddings of ", dims.size(),
                         " dimensions and ", count, " elements; at most 8 and ",
                         kMaxGpuElements, " are supported on GPUs");
  }
  if (dims.size() <= 4) {
    return LaunchPad<4>(ctx, pad4_, width, from, to, dims, mode, value);
  }
  return LaunchPad<8>(ctx, pad8_, width, from, to, dims, mode, value);
}

}  // namespace millrace::ops
