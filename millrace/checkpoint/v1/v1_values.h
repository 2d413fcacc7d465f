// Values of format V1: TensorProtos with the elements in the dtype's typed
// field, and neither dtype nor shape. For this room's sources only.
#pragma once

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"
#include "proto/graph/tensor.pb.h"

namespace millrace {

// Returns UNIMPLEMENTED for resources and variants.
Status ValuesToProto(const Tensor& tensor, tensorflow::TensorProto* proto);
// Fills all elements. Returns DATA_LOSS unless `proto`, which is not changed,
// has exactly as many.
Status ValuesFromProto(tensorflow::TensorProto* proto, Tensor* tensor);
// Returns the number of elements in all typed fields together (complex numbers
// count twice), an upper bound for any tensor made from it.
int64_t NumValues(const tensorflow::TensorProto& proto);

}  // namespace millrace
