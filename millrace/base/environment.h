// The environment of this process.
#pragma once

#include <optional>
#include <string>

namespace millrace {

// Returns a variable of the environment; none if it is not set. Not to be
// called while another thread sets variables.
std::optional<std::string> EnvironmentVariable(const char* name);

}  // namespace millrace
