// Images as values of a summary.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/string/counted_text.h"

namespace millrace::ops {

struct ImageRequest {
  absl::string_view tag;
  int64_t most = 0;                     // images
  absl::Span<const uint8_t> bad_color;  // of pixels that are not finite
};

// Returns a serialized Summary of the first images of a batch [images, height,
// width, channels] of floating numbers or bytes, as PNG. Returns
// INVALID_ARGUMENT for other shapes, for images without pixels, and for what is
// too large for a summary.
StatusOr<CountedText> SummarizeImages(KernelContext& ctx, const Tensor& images,
                                      const ImageRequest& request);

}  // namespace millrace::ops
