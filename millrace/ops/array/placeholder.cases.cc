#include "tests/cases/case.h"

namespace millrace::cases {

MR_CASES(Placeholder)(CaseList& c) {
  c.Error(
      {},
      {{"dtype", DataType::kFloat}, {"shape", PartialShape({kUnknownDim, 2})}},
      StatusCode::kInvalidArgument, "' with dtype float and shape [?,2]");
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Error({}, {{"dtype", t}}, StatusCode::kInvalidArgument,
            "' with dtype " + DataTypeName(t));
  });
}

MR_CASES(PlaceholderV2)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Error({}, {{"dtype", t}, {"shape", PartialShape({2})}},
            StatusCode::kInvalidArgument,
            "You must feed a value for placeholder tensor")
        .NoStock("deprecated since GraphDef 23");
  });
}

MR_CASES(PlaceholderWithDefault)(CaseList& c) {
  c.EachType("dtype", [](CaseList& c, DataType t) {
    c.Ok({Rand(t, {2, 3})}, {{"shape", PartialShape({kUnknownDim, 3})}});
  });
  c.BuildError({F32({2})}, {{"shape", PartialShape({3})}},
               "Dimension 0 in both shapes must be equal");
}

}  // namespace millrace::cases
