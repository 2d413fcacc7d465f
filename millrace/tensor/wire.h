// Tensors as TensorProto bytes, by hand: the protobuf library never sees them.
//
// Field numbers: proto/graph/tensor.proto. What comes from outside is checked
// in full; a decode needs no more memory than the message has bytes (strings:
// 16 more an element), except where a short typed field fills a large shape,
// which the allocator's limit bounds.
#pragma once

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/tensor/buffer.h"
#include "millrace/tensor/shape.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

// Decodes the TensorProto that is all of `in`.
//
// Contents of at least kMinAliasBytes that lie in one owned chunk, aligned for
// their type and no less than an eighth of the owner's memory, are aliased; all
// others are copied once. Errors:
// INVALID_ARGUMENT for malformed bytes, sizes that do not fit the shape, types
// that Millrace does not run (by name), reference types and variants;
// RESOURCE_EXHAUSTED from the allocator.
StatusOr<Tensor> DecodeTensor(ChunkReader in, Allocator* allocator);
StatusOr<Tensor> DecodeTensor(absl::string_view bytes, Allocator* allocator);
inline constexpr size_t kMinAliasBytes = 1024;

// Where strings go; a reader takes both.
enum class StringForm {
  kValues,   // string_val, as RunStep answers
  kContent,  // tensor_content, as feeds and RecvTensor have them
};

// Bytes that EncodeTensor will write. INVALID_ARGUMENT for a tensor without a
// type and for variants, which do not travel.
StatusOr<size_t> EncodedTensorSize(const Tensor& tensor, StringForm form);
// Writes `tensor`, of which EncodedTensorSize said OK. Big contents are passed
// by reference to the tensor's buffer.
void EncodeTensor(const Tensor& tensor, StringForm form, ChunkWriter* out);
// Both steps, for a message that is just the tensor.
StatusOr<ByteChunks> EncodeTensor(const Tensor& tensor,
                                  StringForm form = StringForm::kValues);

// TensorShapeProto. Unknown ranks and sizes are errors for the former.
StatusOr<TensorShape> DecodeShape(ChunkReader in);
StatusOr<PartialShape> DecodePartialShape(ChunkReader in);
size_t EncodedShapeSize(const PartialShape& shape);
void EncodeShape(const PartialShape& shape, ChunkWriter* out);

}  // namespace millrace
