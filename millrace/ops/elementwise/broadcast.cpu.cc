#include "millrace/ops/elementwise/broadcast.h"

#include <algorithm>
#include <string>

#include "millrace/tensor/numeric_types.h"

namespace millrace::ops {
namespace {

Status Incompatible(std::initializer_list<const TensorShape*> operands) {
  std::string shapes;
  for (const TensorShape* s : operands) {
    absl::StrAppend(&shapes, shapes.empty() ? "" : " vs. ", s->DebugString());
  }
  return InvalidArgument("Incompatible shapes: ", shapes);
}

// Returns dimension d of a shape padded with ones in front to `rank`.
int64_t PaddedDim(const TensorShape& s, int rank, int d) {
  const int i = d - (rank - s.rank());
  return i < 0 ? 1 : s.dim(i);
}

template <class T>
void GatherSpans(const Broadcast& b, int operand, bool scalar, const char* data,
                 int64_t begin, int64_t n, char* out) {
  const T* in = reinterpret_cast<const T*>(data);
  T* z = reinterpret_cast<T*>(out);
  b.ForEachSpan(begin, begin + n,
                [&](const int64_t* offsets, int64_t at, int64_t count) {
                  const T* from = in + offsets[operand];
                  T* to = z + (at - begin);
                  if (scalar) {
                    std::fill_n(to, count, *from);
                  } else {
                    std::copy_n(from, count, to);
                  }
                });
}

}  // namespace

StatusOr<Broadcast> Broadcast::Make(
    std::initializer_list<const TensorShape*> operands) {
  Broadcast b;
  const TensorShape* const* shapes = operands.begin();
  const int count = static_cast<int>(operands.size());
  int rank = 0;
  for (const TensorShape* s : operands) rank = std::max(rank, s->rank());
  DimVector sizes(rank, 1);
  for (int d = 0; d < rank; ++d) {
    for (const TensorShape* s : operands) {
      const int64_t size = PaddedDim(*s, rank, d);
      if (size == 1) continue;
      if (sizes[d] != 1 && sizes[d] != size) return Incompatible(operands);
      sizes[d] = size;
    }
  }
  MR_ASSIGN_OR_RETURN(b.shape_, TensorShape::Make(sizes));
  for (int o = 0; o < count; ++o) {
    b.dense_[o] = shapes[o]->num_elements() == b.shape_.num_elements();
  }

  // From the innermost dimension outwards, a dimension is merged with the one
  // within it if the same operands have one element along both.
  std::array<int64_t, kMaxOperands> elements;
  elements.fill(1);
  absl::InlinedVector<Dim, 4> inner_first;
  for (int d = rank - 1; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    Dim dim;
    dim.size = sizes[d];
    bool joins = !inner_first.empty();
    for (int o = 0; o < count; ++o) {
      const bool present = PaddedDim(*shapes[o], rank, d) != 1;
      dim.stride[o] = present ? elements[o] : 0;
      if (present) elements[o] *= sizes[d];
      if (joins) joins = present == (inner_first.back().stride[o] != 0);
    }
    if (joins) {
      inner_first.back().size *= dim.size;
    } else {
      inner_first.push_back(dim);
    }
  }
  if (inner_first.empty()) inner_first.push_back(Dim());
  b.dims_.assign(inner_first.rbegin(), inner_first.rend());
  return b;
}

bool Broadcast::IsPeriodic(int operand) const {
  for (size_t d = 0; d + 1 < dims_.size(); ++d) {
    if (dims_[d].stride[operand] != 0) return false;
  }
  return !inner_is_scalar(operand);
}

void Broadcast::ForEachSpan(
    int64_t begin, int64_t end,
    absl::FunctionRef<void(const int64_t*, int64_t, int64_t)> f) const {
  if (begin >= end) return;  // in an empty range dimensions may be 0
  const int rank = static_cast<int>(dims_.size());
  absl::InlinedVector<int64_t, 8> index(rank, 0);
  std::array<int64_t, kMaxOperands> offsets = {};
  int64_t rest = begin;
  for (int d = rank - 1; d >= 0; --d) {
    index[d] = rest % dims_[d].size;
    rest /= dims_[d].size;
    for (int o = 0; o < kMaxOperands; ++o) {
      offsets[o] += index[d] * dims_[d].stride[o];
    }
  }
  const Dim& inner = dims_.back();
  for (int64_t at = begin; at < end;) {
    const int64_t n = std::min(inner.size - index[rank - 1], end - at);
    f(offsets.data(), at, n);
    at += n;
    // Advances to the start of the next innermost run.
    for (int o = 0; o < kMaxOperands; ++o) {
      offsets[o] -= index[rank - 1] * inner.stride[o];
    }
    index[rank - 1] = 0;
    for (int d = rank - 2; d >= 0; --d) {
      ++index[d];
      for (int o = 0; o < kMaxOperands; ++o) offsets[o] += dims_[d].stride[o];
      if (index[d] < dims_[d].size) break;
      for (int o = 0; o < kMaxOperands; ++o) {
        offsets[o] -= dims_[d].size * dims_[d].stride[o];
      }
      index[d] = 0;
    }
  }
}

void Broadcast::Gather(int operand, const char* data, int64_t begin, int64_t n,
                       size_t element_bytes, char* out) const {
  const bool scalar = inner_is_scalar(operand);
  switch (element_bytes) {
    case 1:
      return GatherSpans<uint8_t>(*this, operand, scalar, data, begin, n, out);
    case 2:
      return GatherSpans<uint16_t>(*this, operand, scalar, data, begin, n, out);
    case 4:
      return GatherSpans<uint32_t>(*this, operand, scalar, data, begin, n, out);
    case 8:
      return GatherSpans<uint64_t>(*this, operand, scalar, data, begin, n, out);
    default:
      return GatherSpans<Complex128>(*this, operand, scalar, data, begin, n,
                                     out);
  }
}

}  // namespace millrace::ops
