// `millrace python`: runs a program of TensorFlow 1 with Millrace's package in
// the place of TensorFlow's.
#pragma once

#include <string>
#include <vector>

namespace millrace {

struct PythonFlags {
  std::string python = "python3";
  // The version of TensorFlow whose names the program uses; empty: 1.15.
  std::string tf;
  // Says what scripts and names lack instead of running a program.
  bool explain = false;
  // The script, `-m` and a module, or `-c` and a text; then its arguments.
  std::vector<std::string> program;
};

// Replaces this process by Python, which has the package from beside this
// command if it is there; returns an exit code only if that fails.
int RunPython(const PythonFlags& flags);

}  // namespace millrace
