// Values of format V1: TensorProtos with the elements in the dtype's typed
// field, and neither dtype nor shape. For this room's sources only.
#pragma once

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"
#include "proto/graph/tensor.pb.h"

namespace millrace {

// UNIMPLEMENTED for resources and variants.
Status ValuesToProto(const Tensor& tensor, tensorflow::TensorProto* proto);
// Fills all elements; DATA_LOSS unless `proto`, which is not changed, has
// exactly as many.
Status ValuesFromProto(tensorflow::TensorProto* proto, Tensor* tensor);
// Elements in all typed fields together (complex numbers count twice): more
// than that no tensor made of it can have.
int64_t NumValues(const tensorflow::TensorProto& proto);

}  // namespace millrace
