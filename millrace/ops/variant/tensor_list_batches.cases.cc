#include "millrace/ops/variant/lists.cases.h"

namespace millrace::cases {
namespace {

using namespace lists;

}  // namespace

MR_CASES(TensorListConcatLists)(CaseList& c) {
  for (DataType t : c.AllowedTypes("element_dtype")) {
    Empty(c, "lists", Vec({2}), t)
        .Node("other", "TensorListReserve", {Vec({2}), Scalar(2)}, Element(t))
        .Node("j", "TensorListConcatLists", {"list", "other"}, Element(t))
        .Node("n", "TensorListLength", {"j"})
        .Run({"n"});
  }
  Rows(c, "values")
      .Node("j", "TensorListConcatLists", {"rows", "rows"}, Element(kFloat))
      .Node("s", "TensorListStack", {"j", Vec({2})}, Element(kFloat))
      .Run({"s"});
}
MR_CASES(TensorListPushBackBatch)(CaseList& c) {
  c.EachType("element_dtype", [](CaseList& c, DataType t) {
    Rows(c, "rows", t)
        .Node("both", "Pack", {"rows", "rows"})
        .Node("b", "TensorListPushBackBatch", {"both", Rand(t, {2, 2})})
        .Node("u", "Unpack", {"b"}, {{"num", 2}})
        .Node("s0", "TensorListStack", {"u", Vec({2})}, Element(t))
        .Node("s1", "TensorListStack", {"u:1", Vec({2})}, Element(t))
        .Run({"s0", "s1"});
  });
}

}  // namespace millrace::cases
