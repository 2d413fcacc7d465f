// The command line of an example: help, and what is wrong in one line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace millrace::examples {

// Parses. If the program is to end, its exit code: 0 after --help; 2 after a
// mistake, which is told with the nearest of the options and of `words`, the
// values that some of them take.
std::optional<int> ParseArguments(CLI::App& app, int argc, char** argv,
                                  std::vector<std::string> words = {});

}  // namespace millrace::examples
