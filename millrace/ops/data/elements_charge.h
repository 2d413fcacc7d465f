// ElementsCharge: the memory of elements that an iterator keeps, charged to the
// budget: a data set of numbers may give elements without end, of as many
// components as it likes, and their tensors' own memory is not counted
// elsewhere.
#pragma once

#include "millrace/base/memory/kept_charge.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/tensor/own_bytes.h"

namespace millrace::ops {

// Returns the memory of an element in a list, beside what the allocators of its
// tensors count.
inline int64_t BytesOfElement(const Element& element) {
  constexpr int64_t kPlace = 64;  // in the list, with an error or a key
  const size_t spare = element.capacity() - element.size();
  return kPlace + OwnBytes(element) +
         static_cast<int64_t>(spare * sizeof(Tensor));
}

// For one thread at a time. An element must be the same vector when it goes as
// when it came.
class ElementsCharge {
 public:
  // `what` is for errors, and must outlive this object.
  explicit ElementsCharge(const char* what) : sum_(what) {}

  // Counts an element. Returns RESOURCE_EXHAUSTED, and counts nothing, if the
  // budget has no room.
  Status Add(const Element& element) {
    return sum_.Add(BytesOfElement(element));
  }
  // Counts an element that is kept in any case.
  void AddAlways(const Element& element) {
    sum_.AddAlways(BytesOfElement(element));
  }
  // Returns RESOURCE_EXHAUSTED if there is no room for one of some components.
  Status MakeRoom() { return sum_.MakeRoom(kTypicalBytes); }
  void Remove(const Element& element) { sum_.Remove(BytesOfElement(element)); }
  void Clear() { sum_.Clear(); }

 private:
  static constexpr int64_t kTypicalBytes = 256;

  KeptSum sum_;
};

}  // namespace millrace::ops
