// Schemas and shape functions of Fourier transforms.
#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

template <int kRank>
Status ComplexShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, kRank));
  return c.Return(std::move(x));
}

// Says whether the output has the whole last dimension, or its half.
enum class Last { kWhole, kHalf };

// The last dimensions have the lengths in input 1.
template <int kRank, Last kLast>
Status RealShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, kRank));
  MR_ASSIGN_OR_RETURN(const PartialShape length, c.WithRank(1, 1));
  MR_RETURN_IF_ERROR(ShapeContext::WithValue(length.dim(0), kRank).status());
  const Tensor* value = c.input_value(1);
  for (int i = 0; i < kRank; ++i) {
    int64_t size = kUnknownDim;
    if (value != nullptr) {
      size = value->flat<int32_t>()[static_cast<size_t>(i)];
      if (size < 0) {
        return InvalidArgument("fft_length[", i,
                               "] must be at least 0, but is ", size);
      }
      if (kLast == Last::kHalf && i == kRank - 1 && size != 0)
        size = size / 2 + 1;
    }
    MR_ASSIGN_OR_RETURN(x, ShapeContext::ReplaceDim(x, i - kRank, size));
  }
  return c.Return(std::move(x));
}

constexpr char kComplex[] = "Tcomplex: {complex64, complex128} = complex64";
constexpr char kReal[] =
    "Treal: {float, double} = float; Tcomplex: {complex64, complex128} = "
    "complex64";

// Returns the schema of a transform of the first generation, which only GPUs
// had.
consteval OpFields OldTransform(const char* doc, const char* hint) {
  return {
      .inputs = "input: complex64",
      .outputs = "output: complex64",
      .shape = shapes::Unknown,
      .doc = doc,
      .deprecated_version = 15,
      .deprecated_hint = hint,
  };
}

}  // namespace

MR_OP(FFT){
    .inputs = "input: Tcomplex",
    .outputs = "output: Tcomplex",
    .attrs = kComplex,
    .shape = ComplexShape<1>,
    .doc = "The discrete Fourier transform along the last dimension.",
};
MR_OP(IFFT){
    .inputs = "input: Tcomplex",
    .outputs = "output: Tcomplex",
    .attrs = kComplex,
    .shape = ComplexShape<1>,
    .doc = "The inverse of FFT.",
};
MR_OP(FFT2D){
    .inputs = "input: Tcomplex",
    .outputs = "output: Tcomplex",
    .attrs = kComplex,
    .shape = ComplexShape<2>,
    .doc = "The discrete Fourier transform along the last two dimensions.",
};
MR_OP(IFFT2D){
    .inputs = "input: Tcomplex",
    .outputs = "output: Tcomplex",
    .attrs = kComplex,
    .shape = ComplexShape<2>,
    .doc = "The inverse of FFT2D.",
};
MR_OP(FFT3D){
    .inputs = "input: Tcomplex",
    .outputs = "output: Tcomplex",
    .attrs = kComplex,
    .shape = ComplexShape<3>,
    .doc = "The discrete Fourier transform along the last three dimensions.",
};
MR_OP(IFFT3D){
    .inputs = "input: Tcomplex",
    .outputs = "output: Tcomplex",
    .attrs = kComplex,
    .shape = ComplexShape<3>,
    .doc = "The inverse of FFT3D.",
};
MR_OP(RFFT){
    .inputs = "input: Treal, fft_length: int32",
    .outputs = "output: Tcomplex",
    .attrs = kReal,
    .shape = RealShape<1, Last::kHalf>,
    .doc =
        "FFT of the first fft_length real values of each line: the "
        "fft_length / 2 + 1 numbers of which the others are conjugates.",
};
MR_OP(IRFFT){
    .inputs = "input: Tcomplex, fft_length: int32",
    .outputs = "output: Treal",
    .attrs = kReal,
    .shape = RealShape<1, Last::kWhole>,
    .doc = "The inverse of RFFT.",
};
MR_OP(RFFT2D){
    .inputs = "input: Treal, fft_length: int32",
    .outputs = "output: Tcomplex",
    .attrs = kReal,
    .shape = RealShape<2, Last::kHalf>,
    .doc = "RFFT along the last two dimensions.",
};
MR_OP(IRFFT2D){
    .inputs = "input: Tcomplex, fft_length: int32",
    .outputs = "output: Treal",
    .attrs = kReal,
    .shape = RealShape<2, Last::kWhole>,
    .doc = "The inverse of RFFT2D.",
};
MR_OP(RFFT3D){
    .inputs = "input: Treal, fft_length: int32",
    .outputs = "output: Tcomplex",
    .attrs = kReal,
    .shape = RealShape<3, Last::kHalf>,
    .doc = "RFFT along the last three dimensions.",
};
MR_OP(IRFFT3D){
    .inputs = "input: Tcomplex, fft_length: int32",
    .outputs = "output: Treal",
    .attrs = kReal,
    .shape = RealShape<3, Last::kWhole>,
    .doc = "The inverse of RFFT3D.",
};

MR_OP(BatchFFT){OldTransform("FFT under its old name.", "Use FFT")};
MR_OP(BatchFFT2D){OldTransform("FFT2D under its old name.", "Use FFT2D")};
MR_OP(BatchFFT3D){OldTransform("FFT3D under its old name.", "Use FFT3D")};
MR_OP(BatchIFFT){OldTransform("IFFT under its old name.", "Use IFFT")};
MR_OP(BatchIFFT2D){OldTransform("IFFT2D under its old name.", "Use IFFT2D")};
MR_OP(BatchIFFT3D){OldTransform("IFFT3D under its old name.", "Use IFFT3D")};

}  // namespace millrace::ops
