// `millrace run`: runs a user's Python script whose servers are Millrace's.
#pragma once

#include <string>
#include <vector>

namespace millrace {

struct RunFlags {
  std::string python = "python3";
  // For each server that the script creates, as `millrace server` takes them.
  std::vector<std::string> server_flags;
  // The script and its arguments.
  std::vector<std::string> script;
};

// The Python program that is run (run_script.py).
extern const char kRunScript[];

// Replaces this process by Python; returns an exit code only if that fails.
int RunScript(const RunFlags& flags);

// Returns the command line between `run` and the script, without --python: the
// flags for each server.
std::vector<std::string> ServerFlagsOf(const std::vector<std::string>& words);

}  // namespace millrace
