// KeyIndex: keys numbered 0, 1, ... in the order in which they came.
#pragma once

#include <memory>

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The keys have one dtype. Not thread-safe, but for many readers.
class KeyIndex {
 public:
  virtual ~KeyIndex() = default;

  virtual int64_t size() const = 0;
  // numbers[i] = that of key begin + i of `keys`, or -1.
  virtual void Find(const Tensor& keys, int64_t begin, int64_t end,
                    int64_t* numbers) const = 0;
  // The number of key i of `keys`, which is size() before if it is new. There
  // must be room.
  virtual int64_t Add(const Tensor& keys, int64_t i) = 0;
  // Key i of `keys` goes: its number, which the last key has from now on; -1 if
  // it is not there.
  virtual int64_t Remove(const Tensor& keys, int64_t i) = 0;
  // Room for `keys` in all. RESOURCE_EXHAUSTED; nothing has changed then.
  virtual Status Reserve(Allocator* allocator, int64_t keys) = 0;
  // Writes all keys, in their order.
  virtual void Export(Tensor* keys) const = 0;
};

// int32, int64 or string.
std::unique_ptr<KeyIndex> MakeKeyIndex(DataType type);

// What the index of `keys` takes beside the keys themselves.
int64_t KeyIndexBytes(int64_t keys);

// Bytes beyond the elements [begin, end) of a tensor: the strings' contents.
int64_t TextBytes(const Tensor& t, int64_t begin, int64_t end);

// A tensor [rows, columns] that begins with the first `used` elements of `t`,
// which are moved. RESOURCE_EXHAUSTED; nothing has changed then.
Status GrowRows(Allocator* allocator, int64_t rows, int64_t columns,
                int64_t used, Tensor* t);

}  // namespace millrace::ops
