#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status OfSessionHandle(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  if (c.num_outputs() > 0) c.set_output(0, PartialShape());
  return OkStatus();
}

// Returns the schema of an op that keeps a tensor.
consteval OpFields KeepsTensor(const char* outputs, const char* doc) {
  return {
      .inputs = "value: T",
      .outputs = outputs,
      .attrs = "T: type",
      .flags = kStateful | kKeepsInputs,
      .shape = shapes::Scalar,
      .doc = doc,
  };
}

}  // namespace

MR_OP(GetSessionHandle){KeepsTensor(
    "handle: string",
    "Keeps the tensor in the session, on its task, and gives its handle.")};
MR_OP(GetSessionHandleV2){
    KeepsTensor("handle: resource", "GetSessionHandle with a resource.")};
MR_OP(GetSessionTensor){
    .inputs = "handle: string",
    .outputs = "value: dtype",
    .attrs = "dtype: type",
    .flags = kStateful,
    .shape = OfSessionHandle,
    .doc = "The tensor that GetSessionHandle kept.",
};
MR_OP(DeleteSessionTensor){
    .inputs = "handle: string",
    .flags = kStateful,
    .shape = OfSessionHandle,
    .doc = "Frees the tensor that GetSessionHandle kept.",
};

}  // namespace millrace::ops
