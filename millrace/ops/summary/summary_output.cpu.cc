#include "millrace/ops/summary/summary_output.h"

#include "absl/strings/str_cat.h"

namespace millrace::ops {

Status SetSummary(KernelContext& ctx, const std::string& summary) {
  if (summary.size() > kMaxSummaryBytes) {
    return InvalidArgument("a summary of ", summary.size(),
                           " bytes is too large");
  }
  ctx.set_output(0, Tensor::Scalar<std::string>(summary));
  return OkStatus();
}

std::string NumberedTag(const Tensor& tag, const char* kind, int64_t most,
                        int64_t i) {
  const absl::string_view name = tag.scalar<StringElement>().view();
  return most > 1 ? absl::StrCat(name, "/", kind, "/", i)
                  : absl::StrCat(name, "/", kind);
}

}  // namespace millrace::ops
