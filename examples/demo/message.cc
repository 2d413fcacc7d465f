#include "examples/demo/message.h"

#include <utility>

#include "absl/strings/str_split.h"

namespace millrace::demo {

Message ParseMessage(absl::string_view line) {
  Message message;
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  message.kind = parts.first;
  message.text = parts.second;
  message.words = absl::StrSplit(parts.second, ' ', absl::SkipEmpty());
  return message;
}

}  // namespace millrace::demo
