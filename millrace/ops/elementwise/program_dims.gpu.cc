#include "millrace/ops/elementwise/program_dims.gpu.h"

namespace millrace::ops {

absl::InlinedVector<ProgramDim, 4> DimsOfProgram(
    const TensorShape& shape, absl::Span<const Tensor* const> inputs) {
  const size_t count = inputs.size();
  absl::InlinedVector<int64_t, 16> elements(count, 1);  // of the dims within
  absl::InlinedVector<ProgramDim, 4> dims;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    if (shape.dim(d) == 1) continue;
    ProgramDim dim;
    dim.size = shape.dim(d);
    dim.stride.resize(count, 0);
    bool joins = !dims.empty();
    for (size_t i = 0; i < count; ++i) {
      const TensorShape& s = inputs[i]->shape();
      const int own = d - (shape.rank() - s.rank());
      const bool present = own >= 0 && s.dim(own) != 1;
      if (present) {
        dim.stride[i] = elements[i];
        elements[i] *= dim.size;
      }
      if (joins) joins = present == (dims.back().stride[i] != 0);
    }
    if (joins) {
      dims.back().size *= dim.size;
    } else {
      dims.push_back(std::move(dim));
    }
  }
  if (dims.empty()) {
    dims.emplace_back();
    dims.back().stride.resize(count, 0);
  }
  return dims;
}

}  // namespace millrace::ops
