// Encodes tensors of one number as TensorFlow's Python does.
#include <cstring>

#include "millrace/tensor/wire.h"
#include "millrace/tensor/wire_fields.h"
#include "millrace/tensor/wire_variant.h"

namespace millrace {
namespace {

template <class T>
uint64_t Varint(const Tensor& t) {
  T value;
  std::memcpy(&value, t.data(), sizeof(T));
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

// Writes a repeated field of one number, packed.
void PackVarint(uint32_t number, uint64_t v, ChunkWriter* out) {
  out->BytesHeader(number, VarintSize(v));
  out->Varint(v);
}

}  // namespace

std::string EncodeOneNumber(const Tensor& t) {
  ChunkWriter out;
  EncodeHead(t, &out);
  const absl::string_view bytes(t.data(), t.size_bytes());
  switch (t.dtype()) {
    case DataType::kFloat:
      out.RequiredBytesField(tensor_proto::kFloatVal, bytes);
      break;
    case DataType::kDouble:
      out.RequiredBytesField(tensor_proto::kDoubleVal, bytes);
      break;
    case DataType::kComplex64:
      out.RequiredBytesField(tensor_proto::kComplex64Val, bytes);
      break;
    case DataType::kComplex128:
      out.RequiredBytesField(tensor_proto::kComplex128Val, bytes);
      break;
    case DataType::kHalf:
    case DataType::kBfloat16:
      PackVarint(tensor_proto::kHalfVal, Varint<uint16_t>(t), &out);
      break;
    case DataType::kBool:
      PackVarint(tensor_proto::kBoolVal, Varint<uint8_t>(t), &out);
      break;
    case DataType::kInt32:
    case DataType::kQint32:
      PackVarint(tensor_proto::kIntVal, Varint<int32_t>(t), &out);
      break;
    case DataType::kInt16:
    case DataType::kQint16:
      PackVarint(tensor_proto::kIntVal, Varint<int16_t>(t), &out);
      break;
    case DataType::kInt8:
    case DataType::kQint8:
      PackVarint(tensor_proto::kIntVal, Varint<int8_t>(t), &out);
      break;
    case DataType::kUint16:
    case DataType::kQuint16:
      PackVarint(tensor_proto::kIntVal, Varint<uint16_t>(t), &out);
      break;
    case DataType::kUint8:
    case DataType::kQuint8:
      PackVarint(tensor_proto::kIntVal, Varint<uint8_t>(t), &out);
      break;
    case DataType::kInt64:
      PackVarint(tensor_proto::kInt64Val, Varint<int64_t>(t), &out);
      break;
    case DataType::kUint32:
      PackVarint(tensor_proto::kUint32Val, Varint<uint32_t>(t), &out);
      break;
    case DataType::kUint64:
      PackVarint(tensor_proto::kUint64Val, Varint<uint64_t>(t), &out);
      break;
    default:
      out.RequiredBytesField(tensor_proto::kContent, bytes);
  }
  return std::move(out).Finish().Flatten();
}

}  // namespace millrace
