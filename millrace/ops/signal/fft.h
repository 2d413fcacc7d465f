// The options and checks of Fourier transforms along the last one to three
// dimensions, on all devices.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel.h"
#include "millrace/ops/signal/fourier.h"

namespace millrace::ops {

// The last dimensions of the input and of its transform.
struct FftSizes {
  int64_t batch = 1;  // lines, planes or volumes
  DimVector in;       // of the input
  DimVector lengths;  // of the transforms
  DimVector half;     // the lengths, or half of the last one if it is real
  TensorShape shape;  // of the output
};

struct FftOptions {
  FourierDirection direction = FourierDirection::kForward;
  bool real = false;  // the numbers on the side that is not transformed
  int rank = 1;       // number of last dimensions that are transformed

  bool inverse() const { return direction == FourierDirection::kInverse; }

  Status CheckTypes(const KernelInit& init) const {
    const DataType number =
        inverse() ? init.output_type(0) : init.input_type(0);
    const DataType complex =
        inverse() ? init.input_type(0) : init.output_type(0);
    if (real &&
        (number == DataType::kDouble) != (complex == DataType::kComplex128)) {
      return InvalidArgument("Wrong types for ",
                             inverse() ? "inverse" : "forward",
                             " real FFT: in=", DataTypeName(init.input_type(0)),
                             " out=", DataTypeName(init.output_type(0)));
    }
    return OkStatus();
  }

  // Input 1, if there is one, lies in host memory.
  StatusOr<FftSizes> Plan(const KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    if (x.rank() < rank) {
      return InvalidArgument("Input must have rank of at least ", rank,
                             " but got: ", x.shape().DebugString());
    }
    const int outer = x.rank() - rank;
    FftSizes s;
    for (int i = 0; i < rank; ++i) s.in.push_back(x.dim(outer + i));
    s.lengths = s.in;
    if (real) MR_RETURN_IF_ERROR(ReadLengths(ctx.input(1), outer, &s));
    // If values are real, half of the last dimension is computed.
    s.half = s.lengths;
    if (real) s.half.back() = s.half.back() == 0 ? 0 : s.half.back() / 2 + 1;
    DimVector dims = x.shape().dims();
    dims.resize(static_cast<size_t>(outer));
    const DimVector& out_sizes = real && !inverse() ? s.half : s.lengths;
    dims.insert(dims.end(), out_sizes.begin(), out_sizes.end());
    MR_ASSIGN_OR_RETURN(s.shape, TensorShape::Make(dims));
    s.batch = x.shape().NumElements(0, outer);
    return s;
  }

 private:
  // `outer` dimensions are in front of those that are transformed.
  Status ReadLengths(const Tensor& t, int outer, FftSizes* s) const {
    if (t.rank() != 1 || t.dim(0) != rank) {
      return InvalidArgument("fft_length must have shape [", rank, "]");
    }
    for (int i = 0; i < rank; ++i) {
      const int64_t n = t.flat<int32_t>()[static_cast<size_t>(i)];
      const auto d = static_cast<size_t>(i);
      if (n < 0) {
        return InvalidArgument("fft_length[", i, "] must >= 0, but got: ", n);
      }
      const bool is_half = inverse() && i == rank - 1;
      const int64_t least = is_half ? n / 2 + 1 : n;
      // Sizes of 0 are accepted.
      if (s->in[d] != 0 && s->in[d] < least) {
        return InvalidArgument("Input dimension ", outer + i,
                               " must have length of at least ", least,
                               " but got: ", s->in[d]);
      }
      s->lengths[d] = n;
    }
    return OkStatus();
  }
};

}  // namespace millrace::ops
