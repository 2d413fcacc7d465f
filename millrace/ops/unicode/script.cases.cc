#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(UnicodeScript)(CaseList& c) {
  constexpr DataType kInt = DataType::kInt32;
  c.Ok({Vec({65, 0x430, 0x3b1, 0x4e00, 0x3042, 0x30a2, 0x300, 0x1f600, 0x378,
             0xd800, 0xe000, 0, 0x10ffff})});
  c.Ok({Vec({-1, 0x110000, 2147483647.0, -2147483648.0})});
  // Every code point.
  c.Ok({Iota(kInt, {1024, 1088})});
  c.Ok({Scalar(0x0e01)});
  c.Ok({Empty(kInt, {2, 0})});
}

}  // namespace millrace::cases
