// GpuSource: the text of a file x.gpu.cu, which the build puts into the
// program.
#pragma once

#include <cstddef>

namespace millrace {

struct GpuSource {
  // For messages: "elementwise/unary.gpu.cu". Begins with "generated" if the
  // text is made at run time; all others are constants of the program.
  const char* name;
  const char* text;
};

}  // namespace millrace

// Declares the text of millrace/ops/FAMILY/STEM.gpu.cu, outside of unnamed
// namespaces; `Name` is FAMILY_STEM, with _ for each / of the stem.
#define MR_GPU_SOURCE(Name) \
  extern "C" const ::millrace::GpuSource mr_gpu_source_##Name

// The declared text.
#define MR_GPU_SOURCE_OF(Name) ::mr_gpu_source_##Name
