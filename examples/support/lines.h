// Lines of text over pipes.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace millrace::examples {

// Collects the lines of a descriptor that does not block.
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}
  // Complete lines that have come; sets ended() at the end.
  std::vector<std::string> Read();
  bool ended() const { return ended_; }

 private:
  int fd_;
  std::string rest_;
  bool ended_ = false;
};

// Writes a line at once; false if nobody reads.
bool WriteLine(int fd, absl::string_view line);

}  // namespace millrace::examples
