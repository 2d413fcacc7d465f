#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// A tensor that is kept and read again.
void KeptAndRead(CaseList& c, DataType t) {
  c.Sequence("kept")
      .NoStock(
          "stock keeps what a run fetches the handle of, which its client "
          "takes for a handle; test_session_handles.py compares")
      .Node("h", "GetSessionHandle", {Rand(t, {2, 3})})
      .Node("op", "GetSessionTensor", {"h"}, {{"dtype", t}})
      .Node("delete", "DeleteSessionTensor", {"h"}, {}, {"op"})
      .Node("after", "Identity", {F32({1})}, {}, {"delete"})
      .Run({"op"})
      .Run({"op", "after"});
}

void FailsOf(CaseList& c, AttrMap attrs, const char* unknown,
             const char* no_scalar) {
  c.Error({StrScalar("x;0;y")}, attrs, kInvalid, unknown);
  c.Error({StrScalar("")}, attrs, kInvalid, unknown);
  c.Error({Str({"x"})}, attrs, kInvalid, no_scalar).NoShapeCheck();
  c.BuildError({Str({"x"})}, attrs, "Shape must be rank 0 but is rank 1");
}

}  // namespace

MR_CASES(GetSessionHandle)(CaseList& c) { c.EachType("T", KeptAndRead); }
MR_CASES(GetSessionHandleV2)(CaseList& c) {
  c.EachType("T", [](CaseList& c, DataType t) { c.Ok({Rand(t, {2, 3})}); });
}
MR_CASES(GetSessionTensor)(CaseList& c) {
  c.EachType("dtype", KeptAndRead);
  FailsOf(c, {{"dtype", DataType::kFloat}}, "is not in the session store.",
          "handle must be scalar");
  c.Sequence("other type")
      .NoStock("stock knows the handle from the next step on")
      .Node("h", "GetSessionHandle", {F32({2})})
      .Node("op", "GetSessionTensor", {"h"}, {{"dtype", DataType::kInt32}})
      .RunError({"op"}, StatusCode::kInternal,
                "Output 0 of type float does not match declared output type "
                "int32");
}
MR_CASES(DeleteSessionTensor)(CaseList& c) {
  FailsOf(c, {}, "Failed to delete a tensor with handle",
          "`handle` must be scalar");
}

}  // namespace millrace::cases
