// What the stand-in's run-time compiler gives and its driver loads, in place of
// machine code and PTX.
#pragma once

#include <string>
#include <vector>

namespace millrace::cuda::standin {

struct Image {
  int capability = 0;  // 10 * major + minor that it is made for
  // Machine code: the bytes of a shared library.
  std::string library;
  // PTX: the text that is compiled when it is loaded, with its options.
  std::string text;
  std::vector<std::string> options;
};

std::string WriteMachineCode(const Image& image);
// A text that ends with a 0.
std::string WritePtx(const Image& image);
// Returns false if it is neither.
bool ReadImage(const void* bytes, Image* image);

}  // namespace millrace::cuda::standin
