// Values that the shapes of a graph depend on, computed while it is built.
#pragma once

#include "millrace/graph/op_registry.h"
#include "millrace/graph/shape_refiner.h"

namespace millrace {

// Returns an evaluator that runs the kernels of this program (DefaultKernels())
// on the calling thread, so that a shape is known wherever TensorFlow knows it:
// `reshape(x, cast(floor(size * 0.5), int32))`. Its device is made at the first
// use and starts no thread, since building a graph starts none. Null if `ops`
// are not those of this program (DefaultOps()). Thread-safe.
ConstantEvaluator MakeShapeEvaluator(const OpRegistry& ops);

}  // namespace millrace
