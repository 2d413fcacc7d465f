// Implements the encoding functions of wire.h.
#include "millrace/tensor/wire.h"

#include "millrace/tensor/wire_fields.h"
#include "millrace/tensor/wire_handle.h"
#include "millrace/tensor/wire_variant.h"

namespace millrace {
namespace {

// Returns the bytes of a dimension's message.
size_t DimSize(int64_t size) {
  return size == 0 ? 0 : 1 + VarintSize(static_cast<uint64_t>(size));
}

// `shape` is a TensorShape, or a PartialShape of known rank.
template <class Shape>
size_t DimsSize(const Shape& shape) {
  size_t size = 0;
  for (int i = 0; i < shape.rank(); ++i)
    size += BytesFieldSize(DimSize(shape.dim(i)));
  return size;
}

template <class Shape>
void WriteDims(const Shape& shape, ChunkWriter* out) {
  for (int i = 0; i < shape.rank(); ++i) {
    out->BytesHeader(2, DimSize(shape.dim(i)));
    out->VarintField(1, static_cast<uint64_t>(shape.dim(i)));
  }
}

size_t StringContentSize(absl::Span<const StringElement> strings) {
  size_t size = 0;
  for (const StringElement& s : strings)
    size += VarintSize(s.size()) + s.size();
  return size;
}

// Returns the bytes of the field or fields with the values.
size_t ValuesSize(const Tensor& tensor, StringForm form) {
  size_t size = 0;
  switch (tensor.dtype()) {
    case DataType::kString:
      if (form == StringForm::kContent) {
        size = StringContentSize(tensor.flat<StringElement>());
        return size == 0 ? 0 : BytesFieldSize(size);
      }
      for (const StringElement& s : tensor.flat<StringElement>())
        size += BytesFieldSize(s.size());
      return size;
    case DataType::kResource:
      for (const ResourceElement& h : tensor.flat<ResourceElement>()) {
        size += BytesFieldSize(EncodedHandleSize(h.get()));
      }
      return size;
    default:
      return tensor.num_elements() == 0 ? 0
                                        : BytesFieldSize(tensor.size_bytes());
  }
}

void WriteStrings(const Tensor& tensor, StringForm form, ChunkWriter* out) {
  const absl::Span<const StringElement> strings = tensor.flat<StringElement>();
  if (form == StringForm::kValues) {
    for (const StringElement& s : strings) {
      out->BytesHeader(tensor_proto::kStringVal, s.size());
      out->Reference(tensor.buffer(), s.view());
    }
    return;
  }
  const size_t size = StringContentSize(strings);
  if (size == 0) return;
  out->BytesHeader(tensor_proto::kContent, size);
  for (const StringElement& s : strings) out->Varint(s.size());
  for (const StringElement& s : strings)
    out->Reference(tensor.buffer(), s.view());
}

}  // namespace

size_t EncodedHeadSize(const Tensor& tensor) {
  return 1 + VarintSize(static_cast<uint64_t>(tensor.dtype())) +
         BytesFieldSize(DimsSize(tensor.shape()));
}

void EncodeHead(const Tensor& tensor, ChunkWriter* out) {
  out->VarintField(tensor_proto::kDtype, static_cast<uint64_t>(tensor.dtype()));
  out->BytesHeader(tensor_proto::kShape, DimsSize(tensor.shape()));
  WriteDims(tensor.shape(), out);
}

StatusOr<size_t> EncodedTensorSize(const Tensor& tensor, StringForm form) {
  if (!tensor.valid())
    return InvalidArgument("a tensor without a type cannot be sent");
  if (tensor.on_device() || tensor.is_view()) {
    return Internal(
        "a tensor ", tensor.on_device() ? "on a device" : "of a variable",
        " cannot be sent before it is copied: type ",
        DataTypeName(tensor.dtype()), ", shape ", tensor.shape().DebugString());
  }
  size_t values = 0;
  if (tensor.dtype() == DataType::kVariant) {
    MR_ASSIGN_OR_RETURN(values, EncodedVariantsSize(tensor));
  } else {
    values = ValuesSize(tensor, form);
  }
  return EncodedHeadSize(tensor) + values;
}

void EncodeTensor(const Tensor& tensor, StringForm form, ChunkWriter* out) {
  EncodeHead(tensor, out);
  switch (tensor.dtype()) {
    case DataType::kVariant:
      EncodeVariants(tensor, out);
      break;
    case DataType::kString:
      WriteStrings(tensor, form, out);
      break;
    case DataType::kResource:
      for (const ResourceElement& h : tensor.flat<ResourceElement>()) {
        out->BytesHeader(tensor_proto::kResourceVal,
                         EncodedHandleSize(h.get()));
        EncodeHandle(h.get(), out);
      }
      break;
    default:
      if (tensor.num_elements() == 0) break;
      out->BytesHeader(tensor_proto::kContent, tensor.size_bytes());
      out->Reference(tensor.buffer(), {tensor.data(), tensor.size_bytes()});
  }
}

StatusOr<ByteChunks> EncodeTensor(const Tensor& tensor, StringForm form) {
  MR_RETURN_IF_ERROR(EncodedTensorSize(tensor, form).status());
  ChunkWriter out;
  EncodeTensor(tensor, form, &out);
  return std::move(out).Finish();
}

size_t EncodedShapeSize(const PartialShape& shape) {
  return shape.known_rank() ? DimsSize(shape) : 2;
}

void EncodeShape(const PartialShape& shape, ChunkWriter* out) {
  if (shape.known_rank()) {
    WriteDims(shape, out);
  } else {
    out->VarintField(3, 1);
  }
}

}  // namespace millrace
