#include "millrace/tensor/pinned_buffer.h"

namespace millrace {

bool IsPinned(const Tensor& t) {
  return dynamic_cast<const PinnedBuffer*>(t.buffer()) != nullptr;
}

}  // namespace millrace
