#include "tests/gpu/use_standin.h"

#include <cstdlib>

namespace millrace::cuda {

void UseStandIn() {
  constexpr int kKeep = 0;  // what is set
  unsetenv("CUDA_VISIBLE_DEVICES");
  setenv("MILLRACE_CUDA_LIBRARIES", MILLRACE_STANDIN_FOLDER, kKeep);
  setenv("MILLRACE_STANDIN_GPUS", "4", kKeep);
  setenv("MILLRACE_STANDIN_MEMORY_MB", "256", kKeep);
  setenv("MILLRACE_GPU_CACHE", MILLRACE_STANDIN_FOLDER "/code", kKeep);
}

}  // namespace millrace::cuda
