// StringBlock: a string tensor whose elements and bytes share one allocation.
#pragma once

#include <cstdint>
#include <utility>

#include "millrace/base/status.h"
#include "millrace/tensor/buffer.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Fill `bytes()`, let each element view its part, then call Finish. Saves one
// allocation per string where many arrive together (wire, files, parsers).
class StringBlock {
 public:
  // Allocates `count` empty elements and room for `size_bytes` bytes.
  static StatusOr<StringBlock> Allocate(Allocator* allocator, int64_t count,
                                        size_t size_bytes);

  StringElement& element(int64_t i) { return elements_[i]; }
  char* bytes() { return bytes_; }
  // Keeps `owner` alive, so that elements may also view its bytes.
  void Keep(Ref<Buffer> owner);
  // Returns the tensor. Requires: `shape` has `count` elements.
  Tensor Finish(TensorShape shape) &&;

 private:
  class Block;
  StringBlock() = default;
  Ref<Buffer> block_;
  StringElement* elements_ = nullptr;
  char* bytes_ = nullptr;
};

}  // namespace millrace
