#include <algorithm>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_join.h"
#include "millrace/kernel/variable_view.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/short_runs.h"
#include "millrace/ops/array/transpose_block.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns the bytes of a row in TensorFlow, whose strings take 24 bytes.
int64_t StockRowBytes(const Tensor& t) {
  const int64_t element = t.dtype() == DataType::kString
                              ? 24
                              : static_cast<int64_t>(SizeOf(t.dtype()));
  return t.shape().NumElements(1, t.rank()) * element;
}

// Calls `f` with a value of each element size's type. Cannot fail: every type
// has a size.
template <class F>
void BySize(DataType type, F&& f) {
  DispatchBySize(type, [&]<class T>() {
    f.template operator()<T>();
    return OkStatus();
  }).IgnoreError();
}

template <class T>
void CopyRun(const T* src, int64_t src_stride, T* dst, int64_t dst_stride,
             int64_t count) {
  if (dst_stride == 1 && src_stride == 1) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (count * static_cast<int64_t>(sizeof(T)) > 64) {
        std::memcpy(dst, src, static_cast<size_t>(count) * sizeof(T));
        return;
      }
    }
    for (int64_t i = 0; i < count; ++i) dst[i] = src[i];
  } else if (dst_stride == 1 && src_stride == 0) {
    std::fill_n(dst, count, *src);
  } else if (dst_stride == 1 && src_stride == -1) {
    std::reverse_copy(src - (count - 1), src + 1, dst);
  } else {
    for (int64_t i = 0; i < count; ++i)
      dst[i * dst_stride] = src[i * src_stride];
  }
}

// Copies elements [begin, end) of the row-major iteration over spec.dims.
template <class T>
void CopyRange(const T* src, T* dst, const StridedCopySpec& s, int64_t begin,
               int64_t end) {
  const int last = static_cast<int>(s.dims.size()) - 1;
  DimVector at = Coordinates(begin, s.dims);
  src += s.src_offset;
  dst += s.dst_offset;
  for (int i = 0; i < last; ++i) {
    src += at[i] * s.src_strides[i];
    dst += at[i] * s.dst_strides[i];
  }
  const int64_t src_stride = s.src_strides[last];
  const int64_t dst_stride = s.dst_strides[last];
  const bool short_runs =
      std::is_trivially_copyable_v<T> && last > 0 && s.dims[last] <= kShortRun;
  int64_t column = at[last];
  while (true) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      // All whole rows but one of the dimension outside, after which the loop
      // below carries into the others.
      const int64_t rows = short_runs && column == 0
                               ? std::min((end - begin) / s.dims[last],
                                          s.dims[last - 1] - at[last - 1]) -
                                     1
                               : 0;
      if (rows > 0) {
        const RunStrides strides = {s.src_strides[last - 1], src_stride,
                                    s.dst_strides[last - 1], dst_stride};
        CopyShortRuns(src, dst, strides, rows, s.dims[last]);
        src += rows * strides.src_row;
        dst += rows * strides.dst_row;
        at[last - 1] += rows;
        begin += rows * s.dims[last];
      }
    }
    const int64_t count = std::min(end - begin, s.dims[last] - column);
    CopyRun(src + column * src_stride, src_stride, dst + column * dst_stride,
            dst_stride, count);
    column = 0;
    begin += count;
    if (begin >= end) return;
    for (int i = last - 1; i >= 0; --i) {
      src += s.src_strides[i];
      dst += s.dst_strides[i];
      if (++at[i] < s.dims[i]) break;
      at[i] = 0;
      src -= s.src_strides[i] * s.dims[i];
      dst -= s.dst_strides[i] * s.dims[i];
    }
  }
}

// Returns the dimension along which the source is contiguous if the destination
// is contiguous along another one (the last); such a copy is a transpose, which
// is done in blocks.
int SourceContiguous(const StridedCopySpec& s) {
  const int last = static_cast<int>(s.dims.size()) - 1;
  if (s.dst_strides[last] != 1 || s.src_strides[last] <= 1 || s.dims[last] < 4)
    return -1;
  for (int i = 0; i < last; ++i) {
    if (s.src_strides[i] == 1 && s.dims[i] >= 4) return i;
  }
  return -1;
}

template <class T>
Status CopyTransposed(KernelContext& ctx, const T* src, T* dst,
                      const StridedCopySpec& s, int rows_dim, int64_t total) {
  // A larger result leaves the caches before it is read.
  constexpr int64_t kStreamBytes = 16 << 20;
  constexpr int64_t kBlock = 64;
  const int last = static_cast<int>(s.dims.size()) - 1;
  TransposeBlock block;
  block.rows = s.dims[rows_dim];
  block.columns = s.dims[last];
  block.src_stride = s.src_strides[last];
  block.dst_stride = s.dst_strides[rows_dim];
  block.stream = total * static_cast<int64_t>(sizeof(T)) >= kStreamBytes;
  DimVector outer, outer_src, outer_dst;
  int64_t count = 1;
  for (int i = 0; i < last; ++i) {
    if (i == rows_dim) continue;
    outer.push_back(s.dims[i]);
    outer_src.push_back(s.src_strides[i]);
    outer_dst.push_back(s.dst_strides[i]);
    count *= s.dims[i];
  }
  // A unit of work is a strip of the longer side.
  const bool by_rows = block.rows >= block.columns;
  const int64_t side = by_rows ? block.rows : block.columns;
  const int64_t strips = (side + kBlock - 1) / kBlock;
  const int64_t cost =
      std::min(side, kBlock) * std::min(block.rows, block.columns) / 2 + 10;
  return ctx.ParallelFor(count * strips, cost, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const DimVector at = Coordinates(unit / strips, outer);
      const T* from = src + s.src_offset;
      T* to = dst + s.dst_offset;
      for (size_t i = 0; i < outer.size(); ++i) {
        from += at[i] * outer_src[i];
        to += at[i] * outer_dst[i];
      }
      const int64_t first = unit % strips * kBlock;
      TransposeBlock part = block;
      if (by_rows) {
        from += first;
        to += first * block.dst_stride;
        part.rows = std::min(kBlock, block.rows - first);
      } else {
        from += first * block.src_stride;
        to += first;
        part.columns = std::min(kBlock, block.columns - first);
      }
      part.Run(from, to);
    }
    if (block.stream) TransposeBlock::Fence();
  });
}

template <class T>
Status CopyTyped(KernelContext& ctx, DataType type, const char* src_bytes,
                 char* dst_bytes, const StridedCopySpec& s) {
  const T* src = reinterpret_cast<const T*>(src_bytes);
  T* dst = reinterpret_cast<T*>(dst_bytes);
  int64_t total = 1;
  for (int64_t d : s.dims) total *= d;
  if constexpr (std::is_trivially_copyable_v<T>) {
    const int rows_dim = total >= 64 ? SourceContiguous(s) : -1;
    if (rows_dim >= 0) return CopyTransposed(ctx, src, dst, s, rows_dim, total);
  }
  // A piece is about 2 KB; each run in it costs a few nanoseconds to begin.
  const int64_t piece =
      std::max<int64_t>(1, 2048 / static_cast<int64_t>(sizeof(T)));
  if (total <= piece) {
    CopyRange(src, dst, s, 0, total);
    return OkStatus();
  }
  const size_t last = s.dims.size() - 1;
  const bool runs = s.dst_strides[last] == 1 &&
                    (s.src_strides[last] == 1 || s.src_strides[last] == 0);
  const int64_t starts = piece / s.dims[last] + 1;
  const int64_t cost =
      starts * 3 +
      (runs && std::is_trivially_copyable_v<T> ? MoveCost(type, piece)
       : std::is_trivially_copyable_v<T>       ? piece
                                               : piece * 15);
  return ctx.ParallelFor(
      (total + piece - 1) / piece, cost, [&](int64_t begin, int64_t end) {
        CopyRange(src, dst, s, begin * piece, std::min(total, end * piece));
      });
}

}  // namespace

bool Simplify(StridedCopySpec& s) {
  size_t n = 0;
  for (size_t i = 0; i < s.dims.size(); ++i) {
    if (s.dims[i] == 0) return false;
    if (s.dims[i] == 1) continue;
    if (n > 0 && s.src_strides[n - 1] == s.src_strides[i] * s.dims[i] &&
        s.dst_strides[n - 1] == s.dst_strides[i] * s.dims[i]) {
      s.dims[n - 1] *= s.dims[i];
      s.src_strides[n - 1] = s.src_strides[i];
      s.dst_strides[n - 1] = s.dst_strides[i];
    } else {
      s.dims[n] = s.dims[i];
      s.src_strides[n] = s.src_strides[i];
      s.dst_strides[n] = s.dst_strides[i];
      ++n;
    }
  }
  s.dims.resize(n);
  s.src_strides.resize(n);
  s.dst_strides.resize(n);
  if (n == 0) s.Add(1, 1, 1);
  return true;
}

Status StridedCopy(KernelContext& ctx, DataType type, const char* src,
                   char* dst, const StridedCopySpec& spec) {
  StridedCopySpec s = spec;
  if (!Simplify(s)) return OkStatus();
  return DispatchBySize(type, [&]<class T>() -> Status {
    return CopyTyped<T>(ctx, type, src, dst, s);
  });
}

void CopyElements(DataType type, const char* src, int64_t src_begin, char* dst,
                  int64_t dst_begin, int64_t count) {
  if (count == 0) return;
  if (IsPlain(type)) {
    const int64_t size = static_cast<int64_t>(SizeOf(type));
    std::memcpy(dst + dst_begin * size, src + src_begin * size,
                static_cast<size_t>(count * size));
    return;
  }
  BySize(type, [&]<class T>() {
    std::copy_n(reinterpret_cast<const T*>(src) + src_begin, count,
                reinterpret_cast<T*>(dst) + dst_begin);
  });
}

void FillElements(DataType type, char* dst, int64_t begin, int64_t count,
                  const char* value) {
  BySize(type, [&]<class T>() {
    std::fill_n(reinterpret_cast<T*>(dst) + begin, count,
                *reinterpret_cast<const T*>(value));
  });
}

Status FillTensor(KernelContext& ctx, Tensor* t, const char* value) {
  const int64_t piece = 1024;
  const int64_t total = t->num_elements();
  char* dst = t->mutable_data();
  const DataType type = t->dtype();
  return ctx.ParallelFor((total + piece - 1) / piece, MoveCost(type, piece),
                         [&](int64_t begin, int64_t end) {
                           begin *= piece;
                           end = std::min(total, end * piece);
                           FillElements(type, dst, begin, end - begin, value);
                         });
}

Status ZeroTensor(KernelContext& ctx, Tensor* t) {
  if (!IsPlain(t->dtype()) || t->num_elements() == 0) return OkStatus();
  if (t->on_device()) {
    return ctx.device().allocator()->Clear(
        reinterpret_cast<void*>(t->device_address()), t->size_bytes());
  }
  char* dst = t->mutable_data();
  const int64_t piece = 4096;
  const int64_t total = static_cast<int64_t>(t->size_bytes());
  if (total <= piece) {
    std::memset(dst, 0, static_cast<size_t>(total));
    return OkStatus();
  }
  return ctx.ParallelFor(
      (total + piece - 1) / piece, piece / 10, [&](int64_t begin, int64_t end) {
        begin *= piece;
        end = std::min(total, end * piece);
        std::memset(dst + begin, 0, static_cast<size_t>(end - begin));
      });
}

Tensor ZeroElement(DataType type) { return Tensor::Zeros(type, TensorShape()); }

DimVector RowMajorStrides(absl::Span<const int64_t> dims) {
  DimVector strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

int64_t MoveCost(DataType type, int64_t count) {
  const int64_t size = static_cast<int64_t>(SizeOf(type));
  return IsPlain(type) ? count * size / 8 + 1 : count * 15;
}

bool ShareRows(const Tensor& t, int64_t begin, int64_t end, Tensor* out) {
  const int64_t row = t.shape().NumElements(1, t.rank()) *
                      static_cast<int64_t>(SizeOf(t.dtype()));
  if (t.is_view()) {
    const int64_t bytes = StockRowBytes(t);
    const auto alignment = static_cast<int64_t>(kBufferAlignment);
    const bool shares = t.rank() > 1 ? bytes % alignment == 0
                                     : begin * bytes % alignment == 0 &&
                                           end * bytes % alignment == 0;
    if (shares) *out = t.Rows(begin, end);
    return shares;
  }
  const bool aligned =
      (t.address() + static_cast<uintptr_t>(begin * row)) % kBufferAlignment ==
      0;
  if (!t.buffer() || (IsPlain(t.dtype()) && !aligned) || begin == end)
    return false;
  *out = t.Rows(begin, end);
  return true;
}

StatusOr<ReadRows> ReadRowsOf(KernelContext& ctx, const Tensor& t,
                              int64_t begin, int64_t count) {
  if (!t.is_view()) return ReadRows{t, 0};
  ReadRows read{t.Rows(begin, begin + count), begin};
  MR_RETURN_IF_ERROR(Bind(&read.rows, ctx.allocator()));
  return read;
}

DimVector Coordinates(int64_t place, absl::Span<const int64_t> dims) {
  DimVector at(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    if (place == 0) {
      at[i] = 0;
      continue;
    }
    at[i] = place % dims[i];
    place /= dims[i];
  }
  return at;
}

std::string PlaceText(int64_t place, const TensorShape& shape) {
  if (shape.rank() == 0) return "";
  return absl::StrCat("[", absl::StrJoin(Coordinates(place, shape.dims()), ","),
                      "]");
}

}  // namespace millrace::ops
