// Encodes and decodes the elements of variant tensors as VariantTensorDataProto
// messages, for wire.cc.
//
// The tensors inside of a value are messages in the message, so they nest.
// Values that nest deeper than kMaxVariantDepth are refused both ways: protocol
// buffers give up at 100 messages in each other.
#pragma once

#include <cstdint>

#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

inline constexpr int kMaxVariantDepth = 48;
// The largest number of variants and tensors inside a tensor that is encoded;
// each counts as often as it is contained.
inline constexpr size_t kMaxVariantParts = size_t{1} << 22;

// Returns the bytes of the fields with the elements of a variant tensor.
// Returns INVALID_ARGUMENT for values that do not leave their process and for
// those that nest too deeply; RESOURCE_EXHAUSTED above kMaxVariantParts or
// 2 GiB, and if there is no memory for the message.
StatusOr<size_t> EncodedVariantsSize(const Tensor& tensor);
// Writes these fields. Requires: EncodedVariantsSize returned OK.
void EncodeVariants(const Tensor& tensor, ChunkWriter* out);

// Encode and decode the message of one element, which is empty for an element
// that holds nothing, with the errors of those functions.
StatusOr<ByteChunks> EncodeVariant(const VariantElement& element);
StatusOr<VariantElement> DecodeVariant(ChunkReader in, Allocator* allocator);

// Decodes a variant tensor from the TensorProto that is all of `in`, or from
// its tensor_content if that is not null. `depth` counts the variants around
// the elements, themselves included. Elements without a message hold nothing.
// Returns INVALID_ARGUMENT for malformed bytes, other types of variants than
// those that have a decoder, and values that nest too deeply;
// RESOURCE_EXHAUSTED if memory runs out.
StatusOr<Tensor> DecodeVariants(TensorShape shape, ChunkReader in,
                                const ChunkReader* content,
                                Allocator* allocator, int depth);

// Decode a TensorProto within `depth` variants, and encode the type and shape
// of one, which precede its values. wire.cc and wire_encode.cc have them.
StatusOr<Tensor> DecodeNestedTensor(ChunkReader in, Allocator* allocator,
                                    int depth);
size_t EncodedHeadSize(const Tensor& tensor);
void EncodeHead(const Tensor& tensor, ChunkWriter* out);

}  // namespace millrace
