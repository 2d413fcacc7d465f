#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status FingerprintShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape data, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  int64_t bytes = kUnknownDim;
  if (const Tensor* const method = c.input_value(1)) {
    const absl::string_view name = method->scalar<StringElement>().view();
    if (name != "farmhash64") {
      return InvalidArgument("Unsupported method: ", name);
    }
    bytes = 8;
  }
  return c.Return(PartialShape({ShapeContext::Dim(data, 0), bytes}));
}

}  // namespace

MR_OP(Fingerprint){
    .inputs = "data: T, method: string",
    .outputs = "fingerprint: uint8",
    .attrs = "T: type",
    .shape = FingerprintShape,
    .doc =
        "A row of 8 bytes for each row of `data`: FarmHash's fingerprint, by "
        "the only method that there is, 'farmhash64'.",
};

}  // namespace millrace::ops
