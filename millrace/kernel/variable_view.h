// Views: the form of a reference variable on the edges of a running graph.
//
// The first node that takes a reference as a value makes a view when it starts:
// the variable's cell and its shape at that moment. A view is a Tensor (see
// Tensor::is_view) without elements of its own; ops that in TensorFlow pass on
// their input's buffer pass on the view, or a part of it. A reader binds it to
// the elements that the cell has then. So each reader sees every update that is
// ordered before it, however the value reached it.
// docs/design/0016-reference-variables.md has the complete rule.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "absl/types/span.h"
#include "millrace/kernel/variable.h"

namespace millrace {

// Returns a view of the whole variable; FAILED_PRECONDITION "Attempting to use
// uninitialized value NAME".
StatusOr<Tensor> MakeView(const Ref<Variable>& variable);

// Returns the elements that the view stands for now: shared with the variable,
// which is copied on its next dense update, or copied row by row if rows are
// updated in place. Copies come from `allocator` (null: host memory);
// RESOURCE_EXHAUSTED. A tensor that is not a view is returned as it is.
StatusOr<Tensor> BoundTensor(const Tensor& tensor, Allocator* allocator);
// Do the same in place.
Status Bind(Tensor* tensor, Allocator* allocator);
Status BindAll(absl::Span<Tensor> tensors, Allocator* allocator);

// A kernel's access to the elements of an input that it reads in parts, such as
// rows by index. The elements of a view are read in place, and updates of rows
// continue meanwhile. Whole-buffer updates wait while this lives. Thread-safe.
class SharedElements {
 public:
  // `tensor` must outlive it.
  explicit SharedElements(const Tensor& tensor);
  ~SharedElements();
  SharedElements(const SharedElements&) = delete;
  SharedElements& operator=(const SharedElements&) = delete;

  // Returns the first element. Requires: it is in host memory.
  const char* data() const { return data_; }
  // Returns its address in whatever memory. A device's kernels that are
  // enqueued while this lives read the elements of now, also in place of Copy.
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(data_); }
  // Returns whether elements may change meanwhile: each slice must then be read
  // by Copy.
  bool needs_copy() const { return variable_ != nullptr && rows_change_; }
  // Copies `count` elements from position `begin` on; each row of the variable
  // is copied under its lock. `T` is the element type or, for plain types, a
  // type of its size or (counting bytes) of size 1.
  template <class T>
  void Copy(int64_t begin, int64_t count, T* to) const {
    CopyBytes(begin * static_cast<int64_t>(sizeof(T)),
              (begin + count) * static_cast<int64_t>(sizeof(T)),
              [&](int64_t at, int64_t next) {
                constexpr auto kSize = static_cast<int64_t>(sizeof(T));
                if constexpr (std::is_trivially_copyable_v<T>) {
                  std::memcpy(reinterpret_cast<char*>(to) + at - begin * kSize,
                              data_ + at, static_cast<size_t>(next - at));
                } else {
                  std::copy(reinterpret_cast<const T*>(data_ + at),
                            reinterpret_cast<const T*>(data_ + next),
                            to + (at / kSize - begin));
                }
              });
  }

 private:
  // Calls `copy` for the bytes of each row under its lock.
  template <class F>
  void CopyBytes(int64_t begin, int64_t end, F&& copy) const {
    while (begin < end) {
      const int64_t row = (offset_ + begin) / row_bytes_;
      const int64_t next = std::min(end, (row + 1) * row_bytes_ - offset_);
      ReaderLock lock(stripe(row));
      copy(begin, next);
      begin = next;
    }
  }
  SharedMutex& stripe(int64_t row) const;

  const char* data_ = nullptr;
  const Variable* variable_ = nullptr;  // locked for reading; null: no lock
  Tensor kept_;                         // of a cell that the variable has left
  bool rows_change_ = false;
  int64_t row_bytes_ = 1;  // of the variable
  int64_t offset_ = 0;     // of data_ in the variable
};

}  // namespace millrace
