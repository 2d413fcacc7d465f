// What stands before each text that is compiled: device_abi.h and
// device_prelude.cu.
#pragma once

#include <string_view>

namespace millrace::cuda::standin {

std::string_view PreludeText();

}  // namespace millrace::cuda::standin
