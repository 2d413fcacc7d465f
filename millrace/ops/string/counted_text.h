// CountedText: a text that a kernel builds, charged to the memory budget while
// it grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// For texts whose length is not bounded by the inputs: a few bytes that are
// joined or inserted often enough exceed the memory of a machine. Text longer
// than 4096 bytes is charged to the memory budget; a cancellation ends the
// growth within a MiB.
class CountedText {
 public:
  // `ctx` must outlive the text.
  explicit CountedText(const KernelContext& ctx) : ctx_(ctx) {}

  // Returns RESOURCE_EXHAUSTED if the budget has no room, or why the step was
  // cancelled; the text is then unchanged. Requires: `piece` does not lie in
  // this text.
  Status Append(absl::string_view piece) {
    if (piece.size() > text_.capacity() - text_.size()) {
      MR_RETURN_IF_ERROR(Grow(text_.size() + piece.size()));
    }
    unchecked_ += piece.size();
    if (unchecked_ >= kCheckedBytes) {
      MR_RETURN_IF_ERROR(ctx_.CheckCancelled());
      unchecked_ = 0;
    }
    text_.append(piece.data(), piece.size());
    return OkStatus();
  }
  // Keeps the memory for the next text.
  void Clear() { text_.clear(); }

  absl::string_view view() const { return text_; }

 private:
  static constexpr size_t kUncountedBytes = 4096;
  static constexpr size_t kCheckedBytes = 1 << 20;

  // While the text is moved, both the old and the new memory exist.
  Status Grow(size_t size) {
    const size_t room = std::max(size, 2 * text_.capacity());
    if (room > kUncountedBytes) {
      MR_RETURN_IF_ERROR(charge_.Set(
          static_cast<int64_t>(room + text_.capacity()), "a growing text"));
    }
    text_.reserve(room);
    if (room > kUncountedBytes) {
      return charge_.Set(static_cast<int64_t>(room), "a growing text");
    }
    return OkStatus();
  }

  const KernelContext& ctx_;
  std::string text_;
  MemoryCharge charge_;
  size_t unchecked_ = 0;  // appended since the last check of the step
};

}  // namespace millrace::ops
