// Seeds: what a fuzzer starts from, made by code. `x_fuzz --write_seeds=DIR`
// writes them to files and ends; `./dev test fuzz` does so before each run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "millrace/base/files/file.h"

namespace millrace {

// Of the fuzzer that includes this file, inputs of LLVMFuzzerTestOneInput.
std::vector<std::string> FuzzSeeds();

}  // namespace millrace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    absl::string_view folder((*argv)[i]);
    if (!absl::ConsumePrefix(&folder, "--write_seeds=")) continue;
    int number = 0;
    for (const std::string& seed : millrace::FuzzSeeds()) {
      const millrace::Status written = millrace::WriteStringToFile(
          millrace::DefaultFiles(), absl::StrCat(folder, "/seed_", number++),
          seed);
      if (!written.ok()) std::abort();
    }
    std::exit(0);
  }
  return 0;
}
