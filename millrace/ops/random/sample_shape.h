// The shapes of ops that sample many numbers for each element of a tensor of
// parameters, and generators of single doubles in stock's order.
#pragma once

#include "millrace/base/random.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/random/distributions.h"

namespace millrace::ops {

// The numbers for each element of `parameters`: element [sample, parameter] of
// the output is sampled at position parameter * samples + sample of the stream.
struct SampleShape {
  TensorShape shape;
  int64_t samples = 0;  // for each parameter
  int64_t parameters = 0;
  int64_t total() const { return samples * parameters; }
};

// Returns INVALID_ARGUMENT for what is no vector, and for sizes that are
// negative or too large.
inline StatusOr<SampleShape> SampleShapeOf(const Tensor& shape,
                                           const TensorShape& parameters) {
  if (shape.rank() != 1) {
    return InvalidArgument(
        "shape must be a vector of {int32,int64}, got shape ",
        shape.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(const TensorShape samples, ShapeFromTensor(shape));
  DimVector dims = samples.dims();
  const DimVector behind = parameters.dims();
  dims.insert(dims.end(), behind.begin(), behind.end());
  SampleShape s;
  MR_ASSIGN_OR_RETURN(s.shape, TensorShape::Make(dims));
  s.samples = samples.num_elements();
  s.parameters = parameters.num_elements();
  return s;
}

// Takes a pair of doubles from the generator when the last pair is used up, and
// returns them in reverse order.
class UniformDoubles {
 public:
  explicit UniformDoubles(Philox4x32* generator) : generator_(generator) {}
  double operator()() {
    if (left_ == 0) {
      const Philox4x32::Result r = (*generator_)();
      pair_[0] = UniformDouble(r[0], r[1]);
      pair_[1] = UniformDouble(r[2], r[3]);
      left_ = 2;
    }
    return pair_[--left_];
  }

 private:
  Philox4x32* const generator_;
  double pair_[2] = {};
  int left_ = 0;
};
class NormalNumbers {
 public:
  explicit NormalNumbers(Philox4x32* generator) : generator_(generator) {}
  double operator()() {
    if (left_ == 0) {
      const Philox4x32::Result r = (*generator_)();
      const DoublePair pair = NormalDoubles(r[0], r[1], r[2], r[3]);
      pair_[0] = pair.first;
      pair_[1] = pair.second;
      left_ = 2;
    }
    return pair_[--left_];
  }

 private:
  Philox4x32* const generator_;
  double pair_[2] = {};
  int left_ = 0;
};

}  // namespace millrace::ops
