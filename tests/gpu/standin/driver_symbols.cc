#include "tests/gpu/standin/driver_symbols.h"

namespace millrace::cuda::standin {

// One that is missing is an error of the linker.
extern const void* const all_driver_symbols[];
const void* const all_driver_symbols[] = {
#define MR_STANDIN_ADDRESS(Name, symbol, parameters) \
  reinterpret_cast<const void*>(&symbol),
    MILLRACE_CUDA_DRIVER_CALLS(MR_STANDIN_ADDRESS)
#undef MR_STANDIN_ADDRESS
};

}  // namespace millrace::cuda::standin
