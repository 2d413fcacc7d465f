#include "millrace/ops/data/elements.cases.h"

namespace millrace::cases {
MR_CASES(ZipDataset)(CaseList& c) {
  const AttrMap pairs =
      ElementsOf({kInt64, kInt64}, {PartialShape({}), PartialShape({})});
  Elements(
      WithRange(c, "pairs", 5)
          .Node("short", "TakeDataset", {"range", Count(2)}, Numbers())
          .Node("op", "ZipDataset", {"range", "short"}, With(pairs, "N", 2)),
      "op", pairs, 2);
}
MR_CASES(ConcatenateDataset)(CaseList& c) {
  Elements(WithRange(c, "twice", 2)
               .Node("op", "ConcatenateDataset", {"range", "range"}, Numbers()),
           "op", Numbers(), 4);
  NoDataset(WithRange(c, "types", 2)
                .Node("text", "TensorDataset", {StrScalar("a")},
                      {{"Toutput_types", TypeList{kString}},
                       {"output_shapes", ShapeList{PartialShape({})}}})
                .Node("op", "ConcatenateDataset", {"range", "text"}, Numbers()),
            "have different output_types");
}

}  // namespace millrace::cases
