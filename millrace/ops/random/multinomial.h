// The inputs of Multinomial and its stateless form, on any device.
#pragma once

#include <cstdint>
#include <limits>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

struct MultinomialDraw {
  int64_t rows, classes, samples;
};

// Returns INVALID_ARGUMENT unless `logits` is a matrix with classes and
// `samples` a number that is not negative.
inline StatusOr<MultinomialDraw> CheckMultinomial(const Tensor& logits,
                                                  const Tensor& samples) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits should be a matrix, got shape ",
                           logits.shape().DebugString());
  }
  if (samples.rank() != 0) {
    return InvalidArgument("num_samples should be a scalar, got shape ",
                           samples.shape().DebugString());
  }
  const MultinomialDraw d{logits.dim(0), logits.dim(1),
                          samples.scalar<int32_t>()};
  if (d.samples < 0) {
    return InvalidArgument("num_samples should be non-negative, got ",
                           d.samples);
  }
  for (const int i : {0, 1}) {
    if (logits.dim(i) > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("logits.shape = ", logits.shape().DebugString(),
                             " too large for int");
    }
  }
  if (d.classes <= 0) {
    return InvalidArgument("num_classes should be positive, got ", d.classes);
  }
  return d;
}

}  // namespace millrace::ops
