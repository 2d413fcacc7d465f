#include <algorithm>
#include <cstring>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/bool_bytes.h"

namespace millrace::ops {
namespace {

// Reverses the byte order of numbers of `size` bytes, or of the components of
// complex ones.
void SwapBytes(char* data, size_t bytes, size_t size) {
  for (size_t at = 0; at + size <= bytes; at += size) {
    std::reverse(data + at, data + at + size);
  }
}

size_t ComponentSize(DataType type) {
  return IsComplex(type) ? SizeOf(type) / 2 : SizeOf(type);
}

// Returns [..., width] for an input of shape [...].
StatusOr<TensorShape> Widened(const TensorShape& shape, int64_t width) {
  DimVector dims = shape.dims();
  dims.push_back(width);
  return TensorShape::Make(dims);
}

class DecodeRawKernel {
 public:
  static StatusOr<DecodeRawKernel> Make(const KernelInit& init) {
    DecodeRawKernel k;
    MR_ASSIGN_OR_RETURN(k.little_endian_, init.Attr<bool>("little_endian"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const auto strings = ctx.input(0).flat<StringElement>();
    const DataType type = ctx.output_type(0);
    const size_t length = strings.empty() ? 0 : strings[0].size();
    for (size_t i = 1; i < strings.size(); ++i) {
      if (strings[i].size() != length) {
        return InvalidArgument(
            "DecodeRaw requires input strings to all be the same size, but "
            "element ",
            i, " has size ", length, " != ", strings[i].size());
      }
    }
    if (length % SizeOf(type) != 0) {
      return InvalidArgument("Input to DecodeRaw has length ", length,
                             " that is not a multiple of ", SizeOf(type),
                             ", the size of ", DataTypeName(type));
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        Widened(ctx.input(0).shape(),
                                static_cast<int64_t>(length / SizeOf(type))));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    char* to = out->mutable_data();
    for (const StringElement& s : strings) {
      if (length > 0) std::memcpy(to, s.data(), length);
      to += length;
    }
    CleanBools(type, out->mutable_data(), out->size_bytes());
    if (!little_endian_) {
      SwapBytes(out->mutable_data(), out->size_bytes(), ComponentSize(type));
    }
    return OkStatus();
  }

 private:
  bool little_endian_ = true;
};

class DecodePaddedRawKernel {
 public:
  static StatusOr<DecodePaddedRawKernel> Make(const KernelInit& init) {
    DecodePaddedRawKernel k;
    MR_ASSIGN_OR_RETURN(k.little_endian_, init.Attr<bool>("little_endian"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("k must be scalar, got shape ",
                             ctx.input(1).shape().DebugString());
    }
    const int64_t fixed = ctx.input(1).scalar<int32_t>();
    const DataType type = ctx.output_type(0);
    const auto size = static_cast<int64_t>(SizeOf(type));
    if (fixed % size != 0) {
      return InvalidArgument("fixed_length (", fixed,
                             ") must be a multiple of the size of out_type (",
                             size, ")");
    }
    if (fixed <= 0) {
      return InvalidArgument("fixed_length (", fixed,
                             ") must be greater than zero.");
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        Widened(ctx.input(0).shape(), fixed / size));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    char* to = out->mutable_data();
    const auto width = static_cast<size_t>(fixed);
    for (const StringElement& s : ctx.input(0).flat<StringElement>()) {
      const size_t n = std::min(s.size(), width);
      if (n > 0) std::memcpy(to, s.data(), n);
      std::memset(to + n, 0, width - n);
      to += width;
    }
    if (!little_endian_) {
      SwapBytes(out->mutable_data(), out->size_bytes(), ComponentSize(type));
    }
    return OkStatus();
  }

 private:
  bool little_endian_ = true;
};

}  // namespace

MR_KERNELS(DecodeRaw, Cpu){
    {.types = "out_type: half, float, double, int32, uint16, uint8, int16, "
              "int8, int64, complex64, complex128, bool, bfloat16",
     .make = MakeKernel<DecodeRawKernel>}};
MR_KERNELS(DecodePaddedRaw, Cpu){
    {.types = "out_type: float, double, bfloat16, int32, uint16, uint8, "
              "int16, int8, int64",
     .make = MakeKernel<DecodePaddedRawKernel>,
     .host = "fixed_length"}};

}  // namespace millrace::ops
