#include "millrace/ops/reader/text_line.h"

namespace millrace::ops {
namespace {

// Removes one carriage return before the end of a line.
void DropReturn(std::string* line) {
  if (!line->empty() && line->back() == '\r') line->pop_back();
}

}  // namespace

StatusOr<bool> ReadTextLine(ByteStream& in, std::string* line) {
  line->clear();
  for (;;) {
    MR_ASSIGN_OR_RETURN(const absl::string_view bytes, in.Peek());
    if (bytes.empty()) {
      DropReturn(line);
      return !line->empty();
    }
    const size_t at = bytes.find('\n');
    const absl::string_view part = bytes.substr(0, at);
    MR_RETURN_IF_ERROR(CheckRoomToRead(line->size() + part.size()));
    line->append(part.data(), part.size());
    if (at != absl::string_view::npos) {
      in.Consume(at + 1);
      DropReturn(line);
      return true;
    }
    in.Consume(bytes.size());
  }
}

}  // namespace millrace::ops
