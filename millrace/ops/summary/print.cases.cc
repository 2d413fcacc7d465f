#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Print)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3}), F32({4}), Str({"a", "b"}), Bool({})},
         {{"message", "a message: "}});
  });
  c.Ok({F32({2})}, {{"first_n", 1}});
  c.Ok({F32({2, 3}), F32({4})}).Gradient({0});
}

}  // namespace millrace::cases
