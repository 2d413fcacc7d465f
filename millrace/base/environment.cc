#include "millrace/base/environment.h"

#include <cstdlib>

namespace millrace {

std::optional<std::string> EnvironmentVariable(const char* name) {
  const char* const value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

}  // namespace millrace
