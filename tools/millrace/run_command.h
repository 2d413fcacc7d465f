// `millrace run`: a user's Python script whose servers are Millrace's.
#pragma once

#include <string>
#include <vector>

namespace millrace {

struct RunFlags {
  std::string python = "python3";
  // For each server that the script makes, as `millrace server` takes them.
  std::vector<std::string> server_flags;
  // The script and its arguments.
  std::vector<std::string> script;
};

// What Python is given to run (run_script.py).
extern const char kRunScript[];

// Becomes Python; returns an exit code only if that cannot be.
int RunScript(const RunFlags& flags);

// The command line between `run` and the script, without --python: what goes to
// each server.
std::vector<std::string> ServerFlagsOf(const std::vector<std::string>& words);

}  // namespace millrace
