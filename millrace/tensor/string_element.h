// StringElement: one element of a string tensor. It takes 16 bytes, and owns
// its text or is a view.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/tensor/string_memory.h"

namespace millrace {

// Owns its bytes, or views bytes that the tensor's buffer keeps alive. A copy
// always owns its bytes. Owned bytes count in the memory budget
// (string_memory.h); under a ScopedMemoryLimit a failure throws std::bad_alloc.
// Not thread-safe for writes.
class StringElement {
 public:
  StringElement() = default;
  explicit StringElement(absl::string_view s) { Assign(s); }
  StringElement(const StringElement& o) { Assign(o.view()); }
  StringElement(StringElement&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)) {}
  StringElement& operator=(const StringElement& o) {
    if (this != &o) Assign(o.view());
    return *this;
  }
  StringElement& operator=(StringElement&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  StringElement& operator=(absl::string_view s) {
    Assign(s);
    return *this;
  }
  ~StringElement() { Free(); }

  absl::string_view view() const { return {data_, size()}; }
  operator absl::string_view() const { return view(); }  // NOLINT
  size_t size() const {
    return static_cast<size_t>(size_ & ~(kOwned | kCounted));
  }
  const char* data() const { return data_; }
  std::string str() const { return std::string(view()); }

  // Makes the element a view. `s` must outlive it (it lies in the same
  // reference-counted buffer).
  void SetView(absl::string_view s) {
    Free();
    data_ = const_cast<char*>(s.data());
    size_ = s.size();
  }
  void Assign(absl::string_view s) {
    bool counted = false;
    char* copy = s.empty() ? nullptr : internal::NewString(s.size(), &counted);
    if (copy) std::memcpy(copy, s.data(), s.size());
    Free();
    data_ = copy;
    size_ = s.size() | (copy ? kOwned : 0) | (counted ? kCounted : 0);
  }

  friend bool operator==(const StringElement& a, const StringElement& b) {
    return a.view() == b.view();
  }

 private:
  static constexpr uint64_t kOwned = uint64_t{1} << 63;
  static constexpr uint64_t kCounted = uint64_t{1} << 62;
  void Free() {
    if (size_ & kOwned) {
      internal::DeleteString(data_, size(), (size_ & kCounted) != 0);
    }
  }
  char* data_ = nullptr;
  uint64_t size_ = 0;
};
static_assert(sizeof(StringElement) == 16);

}  // namespace millrace
