// Compiles device text with g++ to a shared library, which the module of the
// stand-in's driver is.
#pragma once

#include <string>
#include <vector>

namespace millrace::cuda::standin {

struct Compiled {
  bool ok = false;
  std::string log;      // what the compiler says
  std::string library;  // the bytes of the file
};

// `options` are macros, "-DNAME=VALUE" or "-DNAME". What was compiled before is
// taken from a folder: MILLRACE_STANDIN_CACHE, or `cache` beside this library.
Compiled CompileDeviceText(const std::string& text,
                           const std::vector<std::string>& options);

}  // namespace millrace::cuda::standin
