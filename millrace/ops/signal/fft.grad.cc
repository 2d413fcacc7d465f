// A transform is linear, so its gradient is the adjoint, which is the inverse
// except for a factor.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

DataType ComplexOf(DataType type) {
  return type == DataType::kFloat || type == DataType::kComplex64
             ? DataType::kComplex64
             : DataType::kComplex128;
}

// Returns the number of elements in one transform as a complex number.
Output CountOf(GradContext& g, const Output& lengths, DataType type) {
  return Cast(g, Prod(g, lengths, {0}), ComplexOf(type));
}
Output CountOfLast(GradContext& g, const Output& x, int rank) {
  return CountOf(g, Part(g, ShapeOf(g, x), -rank, kToEnd), x.dtype());
}

// Pads `x` with zeros at the end, up to `shape`.
Output PadTo(GradContext& g, const Output& x, const Output& shape) {
  const Output own = ShapeOf(g, x);
  return Pad(g, x,
             Pack(g, {Output(ZerosLike(g, own)), Output(Sub(g, shape, own))},
                  {.axis = 1}));
}

Output Transform(GradContext& g, const Output& x, int rank) {
  return rank == 1 ? FFT(g, x) : rank == 2 ? FFT2D(g, x) : FFT3D(g, x);
}
Output Inverse(GradContext& g, const Output& x, int rank) {
  return rank == 1 ? IFFT(g, x) : rank == 2 ? IFFT2D(g, x) : IFFT3D(g, x);
}
Output RealTransform(GradContext& g, const Output& x, const Output& lengths,
                     int rank) {
  const DataType type = ComplexOf(x.dtype());
  return rank == 1   ? RFFT(g, x, lengths, {.Tcomplex = type})
         : rank == 2 ? RFFT2D(g, x, lengths, {.Tcomplex = type})
                     : RFFT3D(g, x, lengths, {.Tcomplex = type});
}

void SetForward(GradContext& g, int rank) {
  const Output dy = g.dy();
  g.Set(0, Mul(g, Inverse(g, dy, rank), CountOfLast(g, dy, rank)));
}
void SetInverse(GradContext& g, int rank) {
  const Output dy = g.dy();
  g.Set(0, Div(g, Transform(g, dy, rank), CountOfLast(g, dy, rank)));
}

// The half that the op does not return has gradient 0.
void SetReal(GradContext& g, int rank) {
  const Output dy = g.dy();
  const Output lengths = g.in(1);
  const Output whole = PadTo(
      g, dy,
      ConcatV2(g,
               {Part(g, ShapeOf(g, dy), 0, -1), Part(g, lengths, -1, kToEnd)},
               0));
  const Output dx =
      Mul(g, Inverse(g, whole, rank), CountOf(g, lengths, dy.dtype()));
  g.Set(0,
        PadTo(g, Real(g, dx, {.Tout = g.in(0).dtype()}), ShapeOf(g, g.in(0))));
}

// Elements also represent their conjugates, except for the first and, with an
// even length, the last.
void SetInverseReal(GradContext& g, int rank) {
  const Output dy = g.dy();
  const Output lengths = g.in(1);
  const Output spectrum = RealTransform(g, dy, lengths, rank);
  const Output length = Element(g, lengths, -1);
  const Output place = Range(g, 0, Element(g, ShapeOf(g, spectrum), -1), 1);
  const DataType type = dy.dtype();
  const Output single =
      AddV2(g, Cast(g, Equal(g, place, 0), type),
            Cast(g, Equal(g, Mul(g, place, 2), length), type));
  const Output factor =
      Div(g, Cast(g, Sub(g, NumberLike(g, dy, 2), single), ComplexOf(type)),
          CountOf(g, lengths, type));
  g.Set(0, PadTo(g, Mul(g, spectrum, factor), ShapeOf(g, g.in(0))));
}

}  // namespace

MR_GRADIENT(FFT)(GradContext& g) { SetForward(g, 1); }
MR_GRADIENT(FFT2D)(GradContext& g) { SetForward(g, 2); }
MR_GRADIENT(FFT3D)(GradContext& g) { SetForward(g, 3); }
MR_GRADIENT(IFFT)(GradContext& g) { SetInverse(g, 1); }
MR_GRADIENT(IFFT2D)(GradContext& g) { SetInverse(g, 2); }
MR_GRADIENT(IFFT3D)(GradContext& g) { SetInverse(g, 3); }
MR_GRADIENT(RFFT)(GradContext& g) { SetReal(g, 1); }
MR_GRADIENT(RFFT2D)(GradContext& g) { SetReal(g, 2); }
MR_GRADIENT(RFFT3D)(GradContext& g) { SetReal(g, 3); }
MR_GRADIENT(IRFFT)(GradContext& g) { SetInverseReal(g, 1); }
MR_GRADIENT(IRFFT2D)(GradContext& g) { SetInverseReal(g, 2); }
MR_GRADIENT(IRFFT3D)(GradContext& g) { SetInverseReal(g, 3); }

}  // namespace millrace::ops
