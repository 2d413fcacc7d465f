#include "millrace/ops/summary/summary_output.h"

#include "absl/strings/str_cat.h"
#include "millrace/tensor/wire.h"

namespace millrace::ops {

Status SetSummary(KernelContext& ctx, absl::string_view summary) {
  if (summary.size() > kMaxSummaryBytes) {
    return InvalidArgument("a summary of ", summary.size(),
                           " bytes is too large");
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, TensorShape()));
  out->mutable_flat<StringElement>()[0].Assign(summary);
  return OkStatus();
}

std::string NumberedTag(absl::string_view tag, const char* kind, int64_t most,
                        int64_t i) {
  return most > 1 ? absl::StrCat(tag, "/", kind, "/", i)
                  : absl::StrCat(tag, "/", kind);
}

StatusOr<std::string> EncodeTensorValue(const Tensor& tensor) {
  MR_ASSIGN_OR_RETURN(const size_t size,
                      EncodedTensorSize(tensor, StringForm::kValues));
  if (size > kMaxSummaryBytes) {
    return InvalidArgument("a tensor of ", size,
                           " bytes is too large for a summary");
  }
  MR_ASSIGN_OR_RETURN(const ByteChunks bytes, EncodeTensor(tensor));
  return bytes.Flatten();
}

}  // namespace millrace::ops
