#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

AttrMap Parts64() { return AttrMap({{"Tout", DataType::kFloat}}); }
AttrMap Parts128() { return AttrMap({{"Tout", DataType::kDouble}}); }

void Parts(CaseList& c) {
  c.Ok({C64({3, 7})}, Parts64());
  c.Ok({C128({3, 7})}, Parts128());
  c.Ok({Empty(DataType::kComplex64, {0})}, Parts64());
}

}  // namespace

MR_CASES(Conj)(CaseList& c) {
  c.Ok({C64({3, 7})});
  c.Ok({C128({40})});
  c.Ok({Mixed(DataType::kComplex64, {20})});
}
MR_CASES(Real)(CaseList& c) { Parts(c); }
MR_CASES(Imag)(CaseList& c) { Parts(c); }
MR_CASES(Angle)(CaseList& c) { Parts(c); }
MR_CASES(ComplexAbs)(CaseList& c) {
  Parts(c);
  c.Ok({Mixed(DataType::kComplex64, {40})}, Parts64());
  c.Error({C64({2})}, Parts128(), StatusCode::kInvalidArgument,
          "Signature mismatch, have: complex64->double expected: "
          "complex64->float");
}
MR_CASES(Complex)(CaseList& c) {
  const AttrMap to64({{"Tout", DataType::kComplex64}});
  const AttrMap to128({{"Tout", DataType::kComplex128}});
  c.Ok({F32({3, 7}), F32({3, 7})}, to64);
  c.Ok({F64({3, 7}), F64({7})}, to128);
  c.Ok({F32({3, 1}), F32({})}, to64);
  c.Error({F32({3}), F32({2})}, to64, StatusCode::kInvalidArgument,
          "Incompatible shapes: [3] vs. [2]");
}

}  // namespace millrace::cases
