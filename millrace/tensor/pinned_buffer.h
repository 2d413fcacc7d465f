// PinnedBuffer: host memory that a device copies without the processor.
#pragma once

#include "millrace/tensor/buffer.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// The base of such buffers. A process has little of this memory, and it keeps
// the device's state alive: who keeps a value beyond its step, for as long as a
// program likes, copies it.
class PinnedBuffer : public Buffer {
 protected:
  using Buffer::Buffer;
};

// Whether the elements of a tensor are in such memory.
bool IsPinned(const Tensor& t);

}  // namespace millrace
