#include "millrace/train/layers/split_pooling.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/train/layers/all_dimensions.h"
#include "millrace/train/layers/image_axes.h"
#include "millrace/train/layers/row_chunks.h"

namespace millrace::train {
namespace {

// Windows over rows and columns.
struct Pool {
  std::array<int64_t, 2> size;
  std::array<int64_t, 2> strides;
  PoolingOptions options;

  Windows Along(size_t dimension) const {
    return {.size = size[dimension],
            .stride = strides[dimension],
            .padding = options.padding};
  }
};

// Pools a chunk of an image, with these margins around it.
using PoolChunk =
    std::function<Output(const Scope& scope, const Output& x,
                         const Margins& rows, const Margins& columns)>;
// Pools a whole image, or all of some channels.
using PoolWhole = std::function<Output(const Scope& scope, const Output& x)>;

Output MaxOfChunk(const Pool& pool, const Scope& scope, const Output& x,
                  const Margins& rows, const Margins& columns) {
  const DataFormat format = pool.options.data_format;
  const bool is_padded = rows || columns;
  std::vector<int64_t> paddings;
  if (is_padded) paddings = ExplicitPaddings(AxesOf(format), rows, columns);
  return ops::MaxPool(scope, x, AllDimensions(pool.size, format),
                      AllDimensions(pool.strides, format),
                      is_padded ? "EXPLICIT" : WordOf(Padding::kValid),
                      {.explicit_paddings = std::move(paddings),
                       .data_format = WordOf(format)});
}

// How many rows of each window are not padding.
std::vector<double> RowsInWindows(int64_t length, const Windows& windows,
                                  const Margins& margins) {
  std::vector<double> counts;
  const int64_t all = margins.before + length + margins.after;
  for (int64_t at = 0; at + windows.size <= all; at += windows.stride) {
    const int64_t begin = std::max(at, margins.before);
    const int64_t end = std::min(at + windows.size, margins.before + length);
    counts.push_back(static_cast<double>(end - begin));
  }
  return counts;
}

// Averages of windows with zeros around the image, corrected by what the zeros
// counted.
Output AverageOfChunk(const Pool& pool, const Scope& scope, const Output& x,
                      const Margins& rows, const Margins& columns) {
  const DataFormat format = pool.options.data_format;
  const ImageAxes axes = AxesOf(format);
  const auto averages = [&](const Output& image) {
    return ops::AvgPool(scope, image, AllDimensions(pool.size, format),
                        AllDimensions(pool.strides, format),
                        WordOf(Padding::kValid),
                        {.data_format = WordOf(format)});
  };
  if (!rows && !columns) return averages(x);
  const PartialShape shape = x.shape();
  const std::vector<double> by_row =
      RowsInWindows(shape.dim(axes.rows), pool.Along(0), rows);
  const std::vector<double> by_column =
      RowsInWindows(shape.dim(axes.columns), pool.Along(1), columns);
  std::vector<double> factors;
  for (const double row : by_row) {
    for (const double column : by_column) {
      factors.push_back(static_cast<double>(pool.size[0] * pool.size[1]) /
                        (row * column));
    }
  }
  std::vector<int64_t> sizes(4, 1);
  sizes[static_cast<size_t>(axes.rows)] = static_cast<int64_t>(by_row.size());
  sizes[static_cast<size_t>(axes.columns)] =
      static_cast<int64_t>(by_column.size());
  const Output paddings = ops::Reshape(
      scope, ops::Const(scope, ExplicitPaddings(axes, rows, columns)), {4, 2});
  const Output factor = ops::Reshape(
      scope, ops::Cast(scope, ops::Const(scope, factors), x.dtype()), sizes);
  return ops::Mul(scope, averages(ops::Pad(scope, x, paddings)), factor);
}

Status CheckPool(const Pool& pool, const SplitTensor& x) {
  const PartialShape shape = ShapeOfWhole(x);
  const ImageAxes axes = AxesOf(pool.options.data_format);
  const auto positive = [](std::array<int64_t, 2> n) {
    return n[0] > 0 && n[1] > 0;
  };
  if (!shape.known_rank() || shape.rank() != 4 || !positive(pool.size) ||
      !positive(pool.strides)) {
    return InvalidArgument(
        "Pooling: expected images of four dimensions, and positive sizes and "
        "strides, found inputs ",
        shape.DebugString(), ", sizes ", pool.size[0], "x", pool.size[1],
        " and strides ", pool.strides[0], "x", pool.strides[1]);
  }
  if (x.parts.size() == 1 || x.axis == axes.channels) return OkStatus();
  if (x.axis != axes.rows) {
    return InvalidArgument("Pooling: images can be split by rows (axis ",
                           axes.rows, ") or channels (axis ", axes.channels,
                           "), found slices along axis ", x.axis);
  }
  const int64_t rows = shape.dim(axes.rows);
  if (rows == kUnknownDim || (pool.options.padding == Padding::kSame &&
                              shape.dim(axes.columns) == kUnknownDim)) {
    return InvalidArgument(
        "Pooling: of images that are split by rows the height, and with "
        "padding SAME the width, should be defined, found inputs ",
        shape.DebugString());
  }
  const int64_t count = WindowCount(rows, pool.Along(0));
  if (count < static_cast<int64_t>(x.parts.size())) {
    return InvalidArgument("Pooling: each of ", x.parts.size(),
                           " slices needs a part, but ", count,
                           " rows of the output cannot be cut so; join the "
                           "image first");
  }
  return OkStatus();
}

SplitTensor Pooled(const Scope& scope, const SplitTensor& x, const Pool& pool,
                   const char* name, const PoolWhole& whole,
                   const PoolChunk& chunk) {
  const Scope block =
      scope.SubScope(pool.options.name.empty() ? name : pool.options.name);
  if (!x) return {};
  if (const Status fits = CheckPool(pool, x); !fits.ok()) {
    block.Fail(fits, name);
    return {};
  }
  const ImageAxes axes = AxesOf(pool.options.data_format);
  const auto at = [&](size_t i) {
    return block.SubScope(absl::StrCat("part_", i)).ColocateWith(x.parts[i]);
  };
  std::vector<Output> slices;
  if (x.parts.size() == 1 || x.axis == axes.channels) {
    for (const Output& part : x.parts) {
      slices.push_back(whole(at(slices.size()), part));
    }
    return {std::move(slices), x.axis};
  }
  const PartialShape shape = ShapeOfWhole(x);
  const Margins columns = MarginsOf(shape.dim(axes.columns), pool.Along(1));
  for (const RowChunk& rows :
       RowChunks(shape.dim(axes.rows), pool.Along(0), x.parts.size())) {
    const Scope there = at(slices.size());
    slices.push_back(chunk(there,
                           RangeOf(there, x, axes.rows, rows.begin, rows.end),
                           rows.margins, columns));
  }
  return {std::move(slices), axes.rows};
}

}  // namespace

SplitTensor SplitMaxPooling2D(const Scope& scope, const SplitTensor& x,
                              std::array<int64_t, 2> pool_size,
                              std::array<int64_t, 2> strides,
                              const PoolingOptions& options) {
  const Pool pool{.size = pool_size, .strides = strides, .options = options};
  return Pooled(
      scope, x, pool, "max_pooling2d",
      [&](const Scope& s, const Output& part) {
        return MaxPooling2D(s, part, pool_size, strides, options);
      },
      [&](const Scope& s, const Output& part, const Margins& rows,
          const Margins& columns) {
        return MaxOfChunk(pool, s, part, rows, columns);
      });
}

SplitTensor SplitAveragePooling2D(const Scope& scope, const SplitTensor& x,
                                  std::array<int64_t, 2> pool_size,
                                  std::array<int64_t, 2> strides,
                                  const PoolingOptions& options) {
  const Pool pool{.size = pool_size, .strides = strides, .options = options};
  return Pooled(
      scope, x, pool, "average_pooling2d",
      [&](const Scope& s, const Output& part) {
        return AveragePooling2D(s, part, pool_size, strides, options);
      },
      [&](const Scope& s, const Output& part, const Margins& rows,
          const Margins& columns) {
        return AverageOfChunk(pool, s, part, rows, columns);
      });
}

}  // namespace millrace::train
