// The environment of this process.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace millrace {

// Returns a variable of the environment; none if it is not set. Not to be
// called while another thread sets variables.
inline std::optional<std::string> EnvironmentVariable(const char* name) {
  const char* const value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

}  // namespace millrace
