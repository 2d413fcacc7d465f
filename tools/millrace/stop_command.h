// `millrace stop HOST:PORT`.
#pragma once

#include <string>

namespace millrace {

struct StopFlags {
  std::string address;
  double grace = 1;  // seconds for the running steps
  std::string reason;
};

// Returns when the server no longer answers. The exit code is 0, or 1 if it
// could not be reached or did not stop.
int RunStop(const StopFlags& flags);

}  // namespace millrace
