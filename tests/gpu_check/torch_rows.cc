#include "tests/gpu_check/torch_rows.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "examples/support/process.h"

namespace millrace::gpu_check {

TorchRows RunTorch(const std::string& python, const std::string& script,
                   const std::string& log, Deadline deadline) {
  TorchRows rows;
  rows.version = "PyTorch gave no figures; see " + log;
  StatusOr<examples::Process> started =
      examples::Process::Start({python, script}, log, /*talk=*/true);
  if (!started.ok()) {
    rows.version = "PyTorch was not run: " + started.status().ToString();
    return rows;
  }
  examples::Process process = *std::move(started);
  for (bool running = true; running && !deadline.expired();) {
    running = process.running();
    for (const std::string& line : process.Lines()) {
      absl::string_view text = line;
      if (absl::ConsumePrefix(&text, "# ")) {
        rows.version = std::string(text);
        continue;
      }
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(text, absl::MaxSplits(' ', 1));
      double seconds = 0;
      if (absl::SimpleAtod(parts.second, &seconds) && seconds > 0)
        rows.seconds[parts.first] = seconds;
    }
    pollfd output = {process.output(), POLLIN, 0};
    if (running) {
      poll(&output, 1,
           static_cast<int>(
               std::min<int64_t>(200, deadline.remaining_millis())));
    }
  }
  return rows;
}

}  // namespace millrace::gpu_check
