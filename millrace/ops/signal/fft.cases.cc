#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

constexpr DataType kC64 = DataType::kComplex64;
constexpr DataType kC128 = DataType::kComplex128;

double ToleranceOf(DataType t) {
  return t == kFloat || t == kC64 ? 2e-4 : 1e-10;
}
AttrMap TypesOf(DataType t) {
  const bool wide = t == kDouble || t == kC128;
  return AttrMap(
      {{"Treal", wide ? kDouble : kFloat}, {"Tcomplex", wide ? kC128 : kC64}});
}
// `front` and then `last`.
TensorShape ShapeOf(std::initializer_list<int64_t> front,
                    std::initializer_list<int64_t> last) {
  DimVector dims(front);
  dims.insert(dims.end(), last.begin(), last.end());
  return TensorShape(dims);
}
// The last dimensions of transforms of `rank` dimensions.
TensorShape Lines(int rank, std::initializer_list<int64_t> front, int64_t n,
                  int64_t m) {
  return rank == 1   ? ShapeOf(front, {n})
         : rank == 2 ? ShapeOf(front, {m, n})
                     : ShapeOf(front, {2, m, n});
}
Value Lengths(int rank, int n, int m) {
  return rank == 1   ? Vec({double(n)})
         : rank == 2 ? Vec({double(m), double(n)})
                     : Vec({2, double(m), double(n)});
}

void ComplexCases(CaseList& c, int rank) {
  c.EachType("Tcomplex", [&](CaseList& c, DataType t) {
    for (const int64_t n : {1, 2, 3, 4, 5, 8, 12, 30, 64, 74, 360}) {
      c.Ok({Rand(t, Lines(rank, {2}, n, 3))}).Tolerance(ToleranceOf(t));
    }
    // Large prime factors.
    for (const int64_t n : {41, 86, 101}) {
      c.Ok({Rand(t, Lines(rank, {}, n, 1))}).Tolerance(ToleranceOf(t));
    }
    // Lines that fill vectors and some more, of factors that have steps of
    // their own and of others.
    for (const int64_t n : {2, 6, 7, 10, 32, 43, 121}) {
      c.Ok({Rand(t, Lines(rank, {23}, n, 1))}).Tolerance(ToleranceOf(t));
    }
    c.Ok({Empty(t, Lines(rank, {0}, 4, 2))});
    c.Ok({Empty(t, Lines(rank, {2}, 0, 2))});
  });
  c.Ok({Rand(kC128, Lines(rank, {2}, 3, 2))}).Tolerance(1e-10).Gradient();
  c.Error({Rand(kC64, {})}, kInvalid, "Input must have rank of at least");
}

void RealCases(CaseList& c, int rank) {
  c.EachType("Treal", [&](CaseList& c, DataType t) {
    for (const int n : {1, 2, 3, 4, 7, 12, 41}) {
      c.Ok({Rand(t, Lines(rank, {2}, n, 3)), Lengths(rank, n, 3)}, TypesOf(t))
          .Tolerance(ToleranceOf(t));
    }
    for (const int n : {2, 5, 16, 82}) {
      c.Ok({Rand(t, Lines(rank, {23}, n, 1)), Lengths(rank, n, 1)}, TypesOf(t))
          .Tolerance(ToleranceOf(t));
    }
    // A part of the input.
    c.Ok({Rand(t, Lines(rank, {2}, 9, 5)), Lengths(rank, 6, 4)}, TypesOf(t))
        .Tolerance(ToleranceOf(t));
    c.Ok({Empty(t, Lines(rank, {0}, 4, 2)), Lengths(rank, 4, 2)}, TypesOf(t));
  });
  for (const int n : {4, 5}) {
    c.Ok({Rand(kDouble, Lines(rank, {2}, n, 3)), Lengths(rank, n, 3)},
         TypesOf(kDouble))
        .Tolerance(1e-10)
        .Gradient();
    c.Ok({Rand(kDouble, Lines(rank, {2}, 7, 4)), Lengths(rank, n, 3)},
         TypesOf(kDouble))
        .Tolerance(1e-10)
        .Gradient();
  }
  c.Error({Rand(kFloat, Lines(rank, {2}, 4, 3)), Lengths(rank, 5, 3)}, kInvalid,
          "must have length of at least 5 but got: 4");
  c.Error({Rand(kFloat, {}), Lengths(rank, 5, 3)}, kInvalid,
          "Input must have rank of at least");
}

void InverseRealCases(CaseList& c, int rank) {
  c.EachType("Tcomplex", [&](CaseList& c, DataType t) {
    for (const int n : {1, 2, 3, 4, 7, 12, 41}) {
      c.Ok({Rand(t, Lines(rank, {2}, n / 2 + 1, 3)), Lengths(rank, n, 3)},
           TypesOf(t))
          .Tolerance(ToleranceOf(t));
    }
    for (const int n : {2, 5, 16, 82}) {
      c.Ok({Rand(t, Lines(rank, {23}, n / 2 + 1, 1)), Lengths(rank, n, 1)},
           TypesOf(t))
          .Tolerance(ToleranceOf(t));
    }
    c.Ok({Rand(t, Lines(rank, {2}, 9, 5)), Lengths(rank, 6, 4)}, TypesOf(t))
        .Tolerance(ToleranceOf(t));
    c.Ok({Empty(t, Lines(rank, {0}, 3, 2)), Lengths(rank, 4, 2)}, TypesOf(t));
  });
  for (const int n : {4, 5}) {
    c.Ok({Rand(kC128, Lines(rank, {2}, n / 2 + 1, 3)), Lengths(rank, n, 3)},
         TypesOf(kC128))
        .Tolerance(1e-10)
        .Gradient();
    c.Ok({Rand(kC128, Lines(rank, {2}, 5, 4)), Lengths(rank, n, 3)},
         TypesOf(kC128))
        .Tolerance(1e-10)
        .Gradient();
  }
  c.Error({Rand(kC64, Lines(rank, {2}, 2, 3)), Lengths(rank, 5, 3)}, kInvalid,
          "must have length of at least 3 but got: 2");
}

}  // namespace

MR_CASES(FFT)(CaseList& c) {
  ComplexCases(c, 1);
  // Numbers whose sums are the largest.
  c.Ok({Rand(kC64, {41}, 1e36, 2e36)}).Tolerance(2e-4, 1e32);
}
MR_CASES(FFT2D)(CaseList& c) { ComplexCases(c, 2); }
MR_CASES(FFT3D)(CaseList& c) { ComplexCases(c, 3); }
MR_CASES(IFFT)(CaseList& c) {
  ComplexCases(c, 1);
  // Numbers whose sums are too large before they are scaled.
  for (const int64_t n : {1024, 1046}) {
    c.Ok({Rand(kC64, {n}, 1e36, 2e36)})
        .Tolerance(2e-4, 1e32)
        .NoStock("sums become infinite");
  }
}
MR_CASES(IFFT2D)(CaseList& c) { ComplexCases(c, 2); }
MR_CASES(IFFT3D)(CaseList& c) { ComplexCases(c, 3); }
MR_CASES(RFFT)(CaseList& c) { RealCases(c, 1); }
MR_CASES(RFFT2D)(CaseList& c) { RealCases(c, 2); }
MR_CASES(RFFT3D)(CaseList& c) { RealCases(c, 3); }
MR_CASES(IRFFT)(CaseList& c) { InverseRealCases(c, 1); }
MR_CASES(IRFFT2D)(CaseList& c) { InverseRealCases(c, 2); }
MR_CASES(IRFFT3D)(CaseList& c) { InverseRealCases(c, 3); }

}  // namespace millrace::cases
