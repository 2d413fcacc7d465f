#include "millrace/train/layers/split_tensor.h"

#include <algorithm>

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

// The scope of what cuts `x`: where that is, wherever the pieces go.
Scope CutWhere(const Scope& scope, const Output& x) {
  return scope.WithoutColocation().ColocateWith(x);
}

bool IsSplitSo(const SplitTensor& x, int axis,
               const std::vector<int64_t>& sizes) {
  if (x.parts.size() != sizes.size()) return false;
  if (x.parts.size() == 1) return true;
  if (x.axis != axis) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (x.parts[i].shape().dim(axis) != sizes[i]) return false;
  }
  return true;
}

}  // namespace

SplitTensor::operator bool() const {
  return !parts.empty() &&
         std::all_of(parts.begin(), parts.end(), [](const Output& part) {
           return static_cast<bool>(part);
         });
}

PartialShape ShapeOfWhole(const SplitTensor& x) {
  if (!x) return {};
  PartialShape shape = x.parts[0].shape();
  if (x.parts.size() == 1 || !shape.known_rank()) return shape;
  int64_t length = 0;
  for (const Output& part : x.parts) {
    const int64_t dim = part.shape().dim(x.axis);
    if (dim == kUnknownDim) {
      length = kUnknownDim;
      break;
    }
    length += dim;
  }
  shape.set_dim(x.axis, length);
  return shape;
}

Output Join(const Scope& scope, const SplitTensor& x) {
  if (!x) return {};
  if (x.parts.size() == 1) return x.parts[0];
  return ops::ConcatV2(scope, x.parts, x.axis);
}

std::vector<int64_t> EvenSizes(int64_t length, size_t parts) {
  std::vector<int64_t> sizes;
  const int64_t n = static_cast<int64_t>(parts);
  for (int64_t i = 0; i < n; ++i) {
    sizes.push_back(length / n + (i < length % n ? 1 : 0));
  }
  return sizes;
}

SplitTensor SlicesOf(const Scope& scope, const SplitTensor& x, int axis,
                     const std::vector<int64_t>& sizes) {
  if (!x || IsSplitSo(x, axis, sizes)) return x;
  const Output whole = Join(scope, x);
  if (!whole || sizes.size() == 1) return whole;
  return {ops::SplitV(CutWhere(scope, whole), whole, sizes, axis,
                      static_cast<int64_t>(sizes.size())),
          axis};
}

Output RangeOf(const Scope& scope, const SplitTensor& x, int axis,
               int64_t begin, int64_t end) {
  if (!x) return {};
  std::vector<Output> pieces;
  int64_t first = 0;  // of the part
  for (const Output& part : x.parts) {
    const PartialShape shape = part.shape();
    const int64_t length = shape.dim(axis);
    const int64_t from = std::max<int64_t>(begin - first, 0);
    const int64_t to = std::min(end - first, length);
    first += length;
    if (from >= to) continue;
    if (from == 0 && to == length) {
      pieces.push_back(part);
      continue;
    }
    std::vector<int64_t> at(static_cast<size_t>(shape.rank()), 0);
    std::vector<int64_t> sizes(at.size(), -1);
    at[static_cast<size_t>(axis)] = from;
    sizes[static_cast<size_t>(axis)] = to - from;
    pieces.push_back(ops::Slice(CutWhere(scope, part), part, at, sizes));
  }
  return Join(scope, {std::move(pieces), axis});
}

}  // namespace millrace::train
