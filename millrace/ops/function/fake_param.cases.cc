#include "tests/cases/case.h"

namespace millrace::cases {

// Stock's numbers are what its memory holds.
MR_CASES(FakeParam)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({}, {{"dtype", t}, {"shape", PartialShape({2, 0, 3})}});
    c.Ok({}, {{"dtype", t}, {"shape", PartialShape({-1, 3})}});
  });
  c.Ok({}, {{"dtype", DataType::kString}, {"shape", PartialShape({2})}});
  c.Ok({}, {{"dtype", DataType::kString}, {"shape", PartialShape()}});
  c.Ok({}, {{"dtype", DataType::kFloat}, {"shape", PartialShape({2, 3})}})
      .NoStock("its numbers are what its memory holds");
}

}  // namespace millrace::cases
