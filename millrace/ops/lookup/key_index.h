// KeyIndex: numbers keys 0, 1, ... in the order in which they are added.
#pragma once

#include <memory>

#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The keys have one dtype. Not thread-safe, but many threads may read at once.
class KeyIndex {
 public:
  virtual ~KeyIndex() = default;

  virtual int64_t size() const = 0;
  // Sets numbers[i] to the number of key begin + i of `keys`, or -1.
  virtual void Find(const Tensor& keys, int64_t begin, int64_t end,
                    int64_t* numbers) const = 0;
  // Returns the number of key i of `keys`, which is the old size() if it is
  // new. Requires: there is room.
  virtual int64_t Add(const Tensor& keys, int64_t i) = 0;
  // Removes key i of `keys`. Returns its number, which the last key has from
  // now on, or -1 if the key is not found.
  virtual int64_t Remove(const Tensor& keys, int64_t i) = 0;
  // Makes room for `keys` keys in total. Returns RESOURCE_EXHAUSTED if memory
  // runs out, and has then changed nothing.
  virtual Status Reserve(Allocator* allocator, int64_t keys) = 0;
  // Writes all keys in order.
  virtual void Export(Tensor* keys) const = 0;
};

// Makes an index of int32, int64 or string keys.
std::unique_ptr<KeyIndex> MakeKeyIndex(DataType type);

// Returns the bytes of an index of `keys` keys, without the keys themselves.
int64_t KeyIndexBytes(int64_t keys);

// Returns the bytes outside of elements [begin, end) of a tensor: the contents
// of strings.
int64_t TextBytes(const Tensor& t, int64_t begin, int64_t end);

// Replaces `t` by a tensor [rows, columns] that begins with its first `used`
// elements, which are moved. Returns RESOURCE_EXHAUSTED if memory runs out, and
// has then changed nothing.
Status GrowRows(Allocator* allocator, int64_t rows, int64_t columns,
                int64_t used, Tensor* t);

}  // namespace millrace::ops
