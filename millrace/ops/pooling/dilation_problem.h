// Describes a greyscale dilation by numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/pooling/dilation.op.h"

namespace millrace::ops {

struct DilationSizes {
  int64_t batch = 0, depth = 0;
  DilationDim y, x;

  int64_t ImageSize() const { return y.input * x.input * depth; }
  int64_t OutputSize() const { return y.output * x.output * depth; }
  int64_t Taps() const { return y.filter * x.filter; }
};

// The attributes, and sizes from shapes.
class DilationAttrs {
 public:
  static StatusOr<DilationAttrs> Read(const KernelInit& init);

  // Returns INVALID_ARGUMENT if the shapes do not fit each other.
  StatusOr<DilationSizes> Resolve(const TensorShape& input,
                                  const TensorShape& filter) const;

 private:
  std::vector<int64_t> strides_, rates_;
  std::string padding_;
};

// Returns INVALID_ARGUMENT unless `t` has the shape of the output.
Status CheckDilationGradient(const Tensor& t, const DilationSizes& s);

}  // namespace millrace::ops
