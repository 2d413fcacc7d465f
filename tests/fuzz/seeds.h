// Seeds: what a fuzzer starts from, made by code. `x_fuzz --write_seeds=DIR`
// writes them to files and ends; `./dev test fuzz` does so before each run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

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
      std::ofstream out(absl::StrCat(folder, "/seed_", number++),
                        std::ios::binary);
      out.write(seed.data(), static_cast<std::streamsize>(seed.size()));
      if (!out.good()) std::abort();
    }
    std::exit(0);
  }
  return 0;
}
