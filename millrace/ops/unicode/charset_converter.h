// CharsetConverter: one conversion of the C library's iconv to code points.
#pragma once

#include <iconv.h>

#include <utility>

#include "millrace/base/status.h"

namespace millrace::ops {

// For one thread at a time.
class CharsetConverter {
 public:
  // Returns NOT_FOUND if the C library does not know the character set.
  static StatusOr<CharsetConverter> Open(const char* from) {
    const iconv_t handle = iconv_open("UTF-32LE", from);
    if (handle == Invalid()) {
      return NotFound("the C library has no character set ", from);
    }
    return CharsetConverter(handle);
  }
  CharsetConverter(CharsetConverter&& o) noexcept
      : handle_(std::exchange(o.handle_, Invalid())) {}
  CharsetConverter& operator=(CharsetConverter&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~CharsetConverter() {
    if (handle_ != Invalid()) iconv_close(handle_);
  }

  iconv_t handle() const { return handle_; }
  // Starts a new text.
  void Reset() { iconv(handle_, nullptr, nullptr, nullptr, nullptr); }

 private:
  explicit CharsetConverter(iconv_t handle) : handle_(handle) {}
  static iconv_t Invalid() { return reinterpret_cast<iconv_t>(-1); }

  iconv_t handle_;
};

}  // namespace millrace::ops
