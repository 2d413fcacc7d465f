// Charset: a character set of texts, by its name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace::ops {

// The code points of the bytes of a character set that has one byte a
// character; -1 for bytes that are none.
using ByteTable = std::array<int32_t, 256>;

// Cheap to copy; immutable.
class Charset {
 public:
  enum class Kind { kUtf8, kUtf16, kUtf32, kBytes, kSeveralBytes };
  // Says what the order of bytes in UTF-16 and UTF-32 is. A mark at the
  // beginning of the first text decides for the following ones, too.
  enum class Order { kBig, kLittle, kMark };

  // Finds a character set as ICU does: letters may be of either case, and all
  // but letters and digits is ignored. Returns INVALID_ARGUMENT if there is
  // none of that name.
  static StatusOr<Charset> Find(absl::string_view name);

  Kind kind() const { return kind_; }
  Order order() const { return order_; }
  const ByteTable& bytes() const { return *bytes_; }  // kBytes
  // The C library's name of a set of kSeveralBytes.
  const char* library_name() const { return library_name_; }

 private:
  Kind kind_ = Kind::kUtf8;
  Order order_ = Order::kBig;
  std::shared_ptr<const ByteTable> bytes_;
  const char* library_name_ = "";
};

}  // namespace millrace::ops
