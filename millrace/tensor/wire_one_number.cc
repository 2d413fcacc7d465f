// Encodes tensors of one number as TensorFlow's Python does.
#include <cstring>

#include "millrace/tensor/wire.h"
#include "millrace/tensor/wire_fields.h"
#include "millrace/tensor/wire_variant.h"

namespace millrace {
namespace {

// Returns the repeated field for numbers of a type.
uint32_t FieldOf(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return tensor_proto::kFloatVal;
    case DataType::kDouble:
      return tensor_proto::kDoubleVal;
    case DataType::kComplex64:
      return tensor_proto::kComplex64Val;
    case DataType::kComplex128:
      return tensor_proto::kComplex128Val;
    case DataType::kHalf:
    case DataType::kBfloat16:
      return tensor_proto::kHalfVal;
    case DataType::kBool:
      return tensor_proto::kBoolVal;
    case DataType::kInt64:
      return tensor_proto::kInt64Val;
    case DataType::kUint32:
      return tensor_proto::kUint32Val;
    case DataType::kUint64:
      return tensor_proto::kUint64Val;
    default:
      return tensor_proto::kIntVal;
  }
}

bool IsSigned(DataType type) {
  switch (type) {
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kQint8:
    case DataType::kQint16:
    case DataType::kQint32:
      return true;
    default:
      return false;
  }
}

// Returns a number of at most 8 bytes as varints have it.
uint64_t VarintOf(const Tensor& t) {
  uint64_t v = 0;
  std::memcpy(&v, t.data(), t.size_bytes());
  const size_t spare = 64 - 8 * t.size_bytes();
  if (!IsSigned(t.dtype())) return v;
  return static_cast<uint64_t>(static_cast<int64_t>(v << spare) >> spare);
}

}  // namespace

std::string EncodeOneNumber(const Tensor& t) {
  ChunkWriter out;
  EncodeHead(t, &out);
  const uint32_t field = FieldOf(t.dtype());
  const bool is_plain = field == tensor_proto::kFloatVal ||
                        field == tensor_proto::kDoubleVal ||
                        IsComplex(t.dtype());
  if (is_plain) {
    out.RequiredBytesField(field, {t.data(), t.size_bytes()});
  } else {
    const uint64_t v = VarintOf(t);
    out.BytesHeader(field, VarintSize(v));
    out.Varint(v);
  }
  return std::move(out).Finish().Flatten();
}

}  // namespace millrace
