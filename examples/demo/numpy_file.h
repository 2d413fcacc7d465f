// Tensors as files of NumPy.
#pragma once

#include <string>

#include "millrace/millrace.h"

namespace millrace::demo {

// Writes `value` (float or int64) so that numpy.load(path) gives it back. Makes
// the folder. UNIMPLEMENTED for other types.
Status WriteNumpyFile(const std::string& path, const Tensor& value);

}  // namespace millrace::demo
