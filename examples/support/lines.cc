#include "examples/support/lines.h"

#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace millrace::examples {

std::vector<std::string> LineReader::Read() {
  char buffer[4096];
  while (!ended_) {
    const ssize_t n = read(fd_, buffer, sizeof(buffer));
    if (n > 0) {
      rest_.append(buffer, static_cast<size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      ended_ = n == 0 || errno != EAGAIN;
      break;
    }
  }
  std::vector<std::string> lines;
  for (size_t end; (end = rest_.find('\n')) != std::string::npos;) {
    lines.push_back(rest_.substr(0, end));
    rest_.erase(0, end + 1);
  }
  return lines;
}

bool WriteLine(int fd, absl::string_view line) {
  const std::string text = absl::StrCat(line, "\n");
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace millrace::examples
