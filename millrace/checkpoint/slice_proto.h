// Converts shapes, slices and versions of the files' messages. For this room's
// sources only: no other header of the room includes protobuf.
#pragma once

#include "millrace/base/status.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/tensor/shape.h"
#include "proto/checkpoint/tensor_slice.pb.h"
#include "proto/graph/tensor_shape.pb.h"
#include "proto/graph/versions.pb.h"

namespace millrace {

void ToProto(const TensorShape& shape, tensorflow::TensorShapeProto* proto);
// Returns DATA_LOSS if the shape is not fully known or too large.
StatusOr<TensorShape> FromProto(const tensorflow::TensorShapeProto& proto);

void ToProto(const TensorSlice& slice, tensorflow::TensorSliceProto* proto);
// Returns DATA_LOSS if it is not a slice of `shape`.
StatusOr<TensorSlice> FromProto(const tensorflow::TensorSliceProto& proto,
                                const TensorShape& shape);

// Returns INVALID_ARGUMENT unless readers of `version` may read the file.
Status CheckCheckpointVersion(const tensorflow::VersionDef& versions,
                              int version);

}  // namespace millrace
