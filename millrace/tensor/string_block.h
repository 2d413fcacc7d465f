// StringBlock: a string tensor whose elements and bytes share one allocation.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/tensor/buffer.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Allocate room for what BytesOf counts, set each element once, then call
// Finish. Saves one allocation per string where many arrive together (wire,
// files, parsers).
class StringBlock {
 public:
  // Returns how many of a block's bytes a text of `size` bytes takes.
  static size_t BytesOf(size_t size) {
    return size > StringElement::kMaxInside ? size : 0;
  }
  // Allocates `count` empty elements and room for `size_bytes` bytes.
  static StatusOr<StringBlock> Allocate(Allocator* allocator, int64_t count,
                                        size_t size_bytes);

  // Sets element i to the `size` bytes that `copy` writes to its argument, a
  // char*. Requires: there is room for them.
  template <class F>
  void Fill(int64_t i, size_t size, F&& copy) {
    if (size <= StringElement::kMaxInside) {
      char text[StringElement::kMaxInside];
      copy(text);
      elements_[i].Assign({text, size});
    } else {
      copy(next_);
      elements_[i].SetView({next_, size});
      next_ += size;
    }
  }
  void Fill(int64_t i, absl::string_view text) {
    Fill(i, text.size(), [text](char* to) { text.copy(to, text.size()); });
  }
  // Sets element i to a view of bytes of the block, or of what it keeps.
  void View(int64_t i, absl::string_view text) { elements_[i].SetView(text); }
  absl::string_view at(int64_t i) const { return elements_[i].view(); }
  // Keeps `owner` alive, so that elements may view its bytes.
  void Keep(Ref<Buffer> owner);
  // Returns the tensor. Requires: `shape` has `count` elements.
  Tensor Finish(TensorShape shape) &&;

 private:
  class Block;
  StringBlock() = default;
  Ref<Buffer> block_;
  StringElement* elements_ = nullptr;
  char* next_ = nullptr;  // of the bytes
};

}  // namespace millrace
