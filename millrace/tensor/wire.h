// Encodes and decodes tensors as TensorProto bytes, by hand, without the
// protobuf library.
//
// The field numbers are those of proto/graph/tensor.proto. Untrusted input is
// checked in full. Decoding needs no more memory than the message has bytes
// (for strings 16 more per element), except where a short typed field fills a
// large shape, which the allocator's limit bounds, and for the tables of
// tensors inside variants, which are charged to the memory budget.
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
// Contents of at least kMinAliasBytes that lie in one owned chunk, are aligned
// for their type and take at least an eighth of the owner's memory are aliased;
// all others are copied once. Returns INVALID_ARGUMENT for malformed bytes,
// sizes that do not fit the shape, types that Millrace does not support (by
// name), reference types, and variants of other types than those of
// wire_variant.cc; RESOURCE_EXHAUSTED from the allocator.
StatusOr<Tensor> DecodeTensor(ChunkReader in, Allocator* allocator);
StatusOr<Tensor> DecodeTensor(absl::string_view bytes, Allocator* allocator);
inline constexpr size_t kMinAliasBytes = 1024;

// The field that holds strings; a decoder accepts both.
enum class StringForm {
  kValues,   // string_val, as RunStep answers
  kContent,  // tensor_content, as feeds and RecvTensor have them
};

// Returns the number of bytes that EncodeTensor will write. INTERNAL for a
// tensor that is not in host memory; INVALID_ARGUMENT
// for a tensor without a type, for variants whose values do not leave their
// process (data sets), and for variants that nest too deeply;
// RESOURCE_EXHAUSTED for variants too large for a message.
StatusOr<size_t> EncodedTensorSize(const Tensor& tensor, StringForm form);
// Writes `tensor`, for which EncodedTensorSize returned OK. Large contents are
// passed by reference to the tensor's buffer.
void EncodeTensor(const Tensor& tensor, StringForm form, ChunkWriter* out);
// Does both steps, for a message that is just the tensor.
StatusOr<ByteChunks> EncodeTensor(const Tensor& tensor,
                                  StringForm form = StringForm::kValues);

// Returns a tensor of one number as TensorFlow's Python writes constants: in
// the field of its type, where programs that read graphs look for it. Requires:
// an element of a plain type in host memory.
std::string EncodeOneNumber(const Tensor& tensor);

// Decode and encode a TensorShapeProto. DecodeShape returns an error for
// unknown ranks and sizes.
StatusOr<TensorShape> DecodeShape(ChunkReader in);
StatusOr<PartialShape> DecodePartialShape(ChunkReader in);
// Does the same for a shape that nobody reads: a size below -1 is unknown, and
// so are all sizes of a shape with too many elements.
StatusOr<PartialShape> DecodeUnreadShape(ChunkReader in);
size_t EncodedShapeSize(const PartialShape& shape);
void EncodeShape(const PartialShape& shape, ChunkWriter* out);

}  // namespace millrace
