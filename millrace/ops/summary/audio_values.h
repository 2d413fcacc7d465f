// Audio as values of a summary.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {

struct AudioRequest {
  absl::string_view tag;
  int64_t most = 0;  // clips
  float rate = 0;    // samples a second
};

// Returns a serialized Summary of the first clips of a batch [clips, samples,
// channels] or [clips, samples], as WAV. Returns INVALID_ARGUMENT for other
// shapes, for a rate that is not positive, and for what is too large for a
// summary or a WAV file.
StatusOr<CountedText> SummarizeAudio(KernelContext& ctx, const Tensor& clips,
                                     const AudioRequest& request);

}  // namespace millrace::ops
