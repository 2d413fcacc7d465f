// Broadcast: iterates over two or three operands of different shapes together.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Maps the output's elements, in row-major order, to the element of each
// operand that they take. Dimensions that behave alike are merged, so most
// cases have one or two. Immutable.
class Broadcast {
 public:
  static constexpr int kMaxOperands = 3;

  // Returns INVALID_ARGUMENT "Incompatible shapes: [3] vs. [2]", with all
  // shapes, if they do not broadcast.
  static StatusOr<Broadcast> Make(
      std::initializer_list<const TensorShape*> operands);

  const TensorShape& shape() const { return shape_; }
  int64_t total() const { return shape_.num_elements(); }
  // Returns true if output element i takes the operand's element i.
  bool IsDense(int operand) const { return dense_[operand]; }
  // Return the length of the innermost merged dimension, and whether the
  // operand has one element for all of it.
  int64_t inner_size() const { return dims_.back().size; }
  bool inner_is_scalar(int operand) const {
    return dims_.back().stride[operand] == 0;
  }

  // Returns true if output element i takes the operand's element i %
  // inner_size().
  bool IsPeriodic(int operand) const;

  // Calls f(offsets, begin, n) for pieces [begin, begin + n) of the output
  // range [begin, end), each within one innermost dimension; `offsets` are the
  // indices of the operands' first elements.
  void ForEachSpan(
      int64_t begin, int64_t end,
      absl::FunctionRef<void(const int64_t* offsets, int64_t begin, int64_t n)>
          f) const;

  // Copies the operand's elements for the output range [begin, begin + n) to
  // `out`, contiguously. `element_bytes` is 1, 2, 4, 8 or 16.
  void Gather(int operand, const char* data, int64_t begin, int64_t n,
              size_t element_bytes, char* out) const;

 private:
  struct Dim {
    int64_t size = 1;
    std::array<int64_t, kMaxOperands> stride = {};  // in elements
  };
  TensorShape shape_;
  std::array<bool, kMaxOperands> dense_ = {};
  absl::InlinedVector<Dim, 4> dims_;  // at least one
};

}  // namespace millrace::ops
