#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Fingerprint)(CaseList& c) {
  const Value method = StrScalar("farmhash64");
  c.EachType("T", [&](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), method});
    c.Ok({Rand(t, {5}), method});
    c.Ok({Rand(t, {3, 70}), method});
    c.Ok({Rand(t, {2, 2, 2}), method});
    c.Ok({Empty(t, {0, 3}), method});
  });
  c.Ok({Empty(DataType::kFloat, {3, 0}), method});
  c.Ok({Str({2, 2}, {"a", "", std::string("b\0c", 3), "d"}), method});
  c.Ok({U8({4000, 9}), method});
  c.Error({F32({}), method}, kInvalid,
          "`data` should have at least one dimension: []")
      .NoShapeCheck();
  c.Error({F32({2}), StrScalar("md5")}, kInvalid,
          "Unsupported fingerprint method: md5")
      .NoShapeCheck();
  c.Error({F32({2}), Str({"farmhash64"})}, kInvalid,
          "`method` should be a scalar string: [1]")
      .NoShapeCheck();
  c.BuildError({F32({2}), StrScalar("md5")}, {}, "Unsupported method: md5");
  c.BuildError({F32({}), method}, {},
               "Shape must be at least rank 1 but is rank 0");
  c.BuildError({F32({2}), Str({"farmhash64"})}, {},
               "Shape must be rank 0 but is rank 1");
}

}  // namespace millrace::cases
