// ParseFrom: parses messages of any size; protobuf accepts those below 2 GiB.
#pragma once

#include <google/protobuf/message_lite.h>

#include <limits>

#include "absl/strings/string_view.h"

namespace millrace {

// Returns false if the bytes are not such a message, or too many.
inline bool ParseFrom(absl::string_view bytes,
                      google::protobuf::MessageLite* message) {
  return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
         message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace millrace
