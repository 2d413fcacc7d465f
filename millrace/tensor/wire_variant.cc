#include "millrace/tensor/wire_variant.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "millrace/tensor/variant/iterator_state_value.h"
#include "millrace/tensor/variant/optional_value.h"
#include "millrace/tensor/variant/ragged_value.h"
#include "millrace/tensor/variant/tensor_list_value.h"
#include "millrace/tensor/variant/variant_tensor.h"
#include "millrace/tensor/wire.h"
#include "millrace/tensor/wire_fields.h"

namespace millrace {
namespace {

// The field numbers of VariantTensorDataProto.
constexpr uint32_t kVariantTypeName = 1;
constexpr uint32_t kVariantMetadata = 2;
constexpr uint32_t kVariantTensors = 3;

// Protocol buffers cannot read larger messages.
constexpr size_t kMaxVariantBytes = std::numeric_limits<int32_t>::max();

struct VariantDecoder {
  absl::string_view type_name;
  StatusOr<Ref<VariantValue>> (*from_wire)(DecodedVariant in);
};

constexpr VariantDecoder kVariantDecoders[] = {
    {TensorListValue::kTypeName, TensorListValue::FromWire},
    {OptionalValue::kTypeName, OptionalValue::FromWire},
    {RaggedValue::kTypeName, RaggedValue::FromWire},
    {VariantTensor::kTypeName, VariantTensor::FromWire},
    {IteratorStateValue::kTypeName, IteratorStateValue::FromWire},
};

StatusOr<const VariantDecoder*> VariantDecoderOf(const ChunkReader& type_name) {
  constexpr size_t kLongest = 200;
  const std::string name = type_name.remaining() > kLongest
                               ? std::string("a name too long")
                               : type_name.CopyRest();
  for (const VariantDecoder& decoder : kVariantDecoders) {
    if (decoder.type_name == name) return &decoder;
  }
  std::string known;
  for (const VariantDecoder& decoder : kVariantDecoders) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", decoder.type_name);
  }
  return InvalidArgument("variant tensors of type ", absl::CHexEscape(name),
                         " are not accepted from outside; accepted are ",
                         known);
}

Status VariantsTooDeep() {
  return InvalidArgument("variants in variants are nested deeper than ",
                         kMaxVariantDepth, " in a message");
}

// The sizes of all messages in a tensor of variants, each before those inside
// of it.
class VariantSizes {
 public:
  // Returns the bytes of the elements' fields.
  StatusOr<size_t> AddElements(const Tensor& variants, int depth) {
    if (depth > kMaxVariantDepth) return VariantsTooDeep();
    size_t total = 0;
    for (const VariantElement& element : variants.flat<VariantElement>()) {
      MR_ASSIGN_OR_RETURN(const size_t size, AddElement(element, depth));
      total += BytesFieldSize(size);
      if (total > kMaxVariantBytes) return TooLarge();
    }
    return total;
  }

  // Returns the bytes of the element's message.
  StatusOr<size_t> AddElement(const VariantElement& element, int depth) {
    MR_ASSIGN_OR_RETURN(const size_t at, Begin());
    if (element != nullptr) {
      MR_ASSIGN_OR_RETURN(sizes_[at], AddValue(*element, depth));
    }
    return sizes_[at];
  }

  // Returns RESOURCE_EXHAUSTED if there is no memory for what is written by
  // value; what is contained many times may be small until then.
  Status CheckRoom() const {
    MemoryCharge room;
    return room.Set(copied_, "a message with variants");
  }
  const std::vector<size_t>& sizes() const { return sizes_; }

 private:
  static Status TooLarge() {
    return ResourceExhausted(
        "a tensor of variants is too large for a message; the limits are ",
        kMaxVariantParts, " tensors inside of it and ", kMaxVariantBytes,
        " bytes");
  }

  StatusOr<size_t> Begin() {
    if (sizes_.size() == kMaxVariantParts) return TooLarge();
    sizes_.push_back(0);
    return sizes_.size() - 1;
  }

  StatusOr<size_t> AddValue(const VariantValue& value, int depth) {
    VariantContent content;
    if (!value.ToWire(&content)) {
      return InvalidArgument("variant tensors of type ", value.type_name(),
                             " cannot be sent to another process");
    }
    size_t size = BytesFieldSize(value.type_name().size());
    if (!content.metadata.empty())
      size += BytesFieldSize(content.metadata.size());
    copied_ += static_cast<int64_t>(size);
    for (const Tensor& t : content.tensors) {
      if (!t.valid()) continue;
      MR_ASSIGN_OR_RETURN(const size_t at, Begin());
      MR_ASSIGN_OR_RETURN(sizes_[at], AddTensor(t, depth));
      size += BytesFieldSize(sizes_[at]);
      if (size > kMaxVariantBytes) return TooLarge();
    }
    return size;
  }

  StatusOr<size_t> AddTensor(const Tensor& t, int depth) {
    if (t.dtype() == DataType::kVariant) {
      MR_ASSIGN_OR_RETURN(const size_t elements, AddElements(t, depth + 1));
      return EncodedHeadSize(t) + elements;
    }
    MR_ASSIGN_OR_RETURN(const size_t size,
                        EncodedTensorSize(t, StringForm::kContent));
    // Each element of a plain tensor, and each string, is a piece.
    const int64_t pieces = IsPlain(t.dtype()) ? 1 : 1 + t.num_elements();
    copied_ += std::min(
        static_cast<int64_t>(size),
        pieces * static_cast<int64_t>(ChunkWriter::kMinReferenceBytes));
    return size;
  }

  std::vector<size_t> sizes_;
  int64_t copied_ = 0;  // an upper bound
};

class VariantWriter {
 public:
  VariantWriter(const std::vector<size_t>& sizes, ChunkWriter* out)
      : next_(sizes.begin()), out_(out) {}

  void Elements(const Tensor& variants) {
    for (const VariantElement& element : variants.flat<VariantElement>()) {
      out_->BytesHeader(tensor_proto::kVariantVal, *next_);
      Element(element);
    }
  }

  void Element(const VariantElement& element) {
    ++next_;
    if (element != nullptr) Value(*element);
  }

 private:
  void Value(const VariantValue& value) {
    VariantContent content;
    value.ToWire(&content);
    out_->BytesField(kVariantTypeName, value.type_name());
    out_->BytesField(kVariantMetadata, content.metadata);
    for (const Tensor& t : content.tensors) {
      if (!t.valid()) continue;
      out_->BytesHeader(kVariantTensors, *next_++);
      if (t.dtype() == DataType::kVariant) {
        EncodeHead(t, out_);
        Elements(t);
      } else {
        EncodeTensor(t, StringForm::kContent, out_);
      }
    }
  }

  std::vector<size_t>::const_iterator next_;
  ChunkWriter* const out_;
};

Status MalformedVariant() {
  return InvalidArgument("malformed VariantTensorDataProto");
}

// `depth` counts the variants around the tensors of this one.
StatusOr<VariantElement> DecodeVariantWithin(ChunkReader in,
                                             Allocator* allocator, int depth) {
  if (in.done()) return VariantElement();
  ChunkReader type_name;
  DecodedVariant parts;
  int64_t count = 0;
  for (ChunkReader first = in; !first.done();) {
    FieldTag tag;
    if (!first.ReadTag(&tag)) return MalformedVariant();
    if (tag.Is(kVariantTensors, WireType::kBytes)) ++count;
    if (!(tag.Is(kVariantTypeName, WireType::kBytes)
              ? first.ReadBytes(&type_name)
          : tag.Is(kVariantMetadata, WireType::kBytes)
              ? first.ReadBytes(&parts.metadata)
              : first.SkipField(tag))) {
      return MalformedVariant();
    }
  }
  MR_ASSIGN_OR_RETURN(const VariantDecoder* const decoder,
                      VariantDecoderOf(type_name));
  MR_RETURN_IF_ERROR(
      parts.charge.Set(count * static_cast<int64_t>(sizeof(Tensor)),
                       "the tensors of a variant"));
  parts.tensors.reserve(static_cast<size_t>(count));
  while (!in.done()) {
    FieldTag tag;
    ChunkReader value;
    if (!in.ReadTag(&tag)) return MalformedVariant();
    if (!tag.Is(kVariantTensors, WireType::kBytes)) {
      if (!in.SkipField(tag)) return MalformedVariant();
      continue;
    }
    if (!in.ReadBytes(&value)) return MalformedVariant();
    MR_ASSIGN_OR_RETURN(Tensor tensor,
                        DecodeNestedTensor(value, allocator, depth));
    parts.tensors.push_back(std::move(tensor));
  }
  return decoder->from_wire(std::move(parts));
}

// Decodes the fields of variants in a TensorProto; those beyond the elements
// are ignored, as in stock TensorFlow.
Status DecodeVariantValues(ChunkReader in, absl::Span<VariantElement> out,
                           Allocator* allocator, int depth) {
  size_t count = 0;
  while (!in.done() && count < out.size()) {
    FieldTag tag;
    ChunkReader value;
    if (!in.ReadTag(&tag)) return MalformedVariant();
    if (!tag.Is(tensor_proto::kVariantVal, WireType::kBytes)) {
      if (!in.SkipField(tag)) return MalformedVariant();
      continue;
    }
    if (!in.ReadBytes(&value)) return MalformedVariant();
    MR_ASSIGN_OR_RETURN(out[count++],
                        DecodeVariantWithin(value, allocator, depth));
  }
  return OkStatus();
}

// Decodes tensor_content: the sizes of all messages as varints, then the
// messages.
Status DecodeVariantContent(ChunkReader content, absl::Span<VariantElement> out,
                            Allocator* allocator, int depth) {
  const auto lies = [] {
    return InvalidArgument(
        "tensor_content of a variant tensor does not fit its shape");
  };
  ChunkReader sizes = content;
  uint64_t size;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!content.ReadVarint(&size)) return lies();
  }
  for (VariantElement& element : out) {
    ChunkReader value;
    if (!sizes.ReadVarint(&size) || !content.ReadPart(size, &value)) {
      return lies();
    }
    MR_ASSIGN_OR_RETURN(element, DecodeVariantWithin(value, allocator, depth));
  }
  return content.done() ? OkStatus() : lies();
}

}  // namespace

StatusOr<size_t> EncodedVariantsSize(const Tensor& tensor) {
  VariantSizes sizes;
  MR_ASSIGN_OR_RETURN(const size_t size, sizes.AddElements(tensor, 1));
  MR_RETURN_IF_ERROR(sizes.CheckRoom());
  return size;
}

void EncodeVariants(const Tensor& tensor, ChunkWriter* out) {
  VariantSizes sizes;
  MR_CHECK(sizes.AddElements(tensor, 1).ok(), "these variants have no form");
  VariantWriter(sizes.sizes(), out).Elements(tensor);
}

StatusOr<ByteChunks> EncodeVariant(const VariantElement& element) {
  VariantSizes sizes;
  MR_RETURN_IF_ERROR(sizes.AddElement(element, 1).status());
  MR_RETURN_IF_ERROR(sizes.CheckRoom());
  ChunkWriter out;
  VariantWriter(sizes.sizes(), &out).Element(element);
  return std::move(out).Finish();
}

StatusOr<VariantElement> DecodeVariant(ChunkReader in, Allocator* allocator) {
  return DecodeVariantWithin(in, allocator, 1);
}

StatusOr<Tensor> DecodeVariants(TensorShape shape, ChunkReader in,
                                const ChunkReader* content,
                                Allocator* allocator, int depth) {
  if (depth > kMaxVariantDepth) return VariantsTooDeep();
  if (content != nullptr &&
      static_cast<uint64_t>(shape.num_elements()) > content->remaining()) {
    return InvalidArgument(
        "tensor_content of a variant tensor does not fit its shape");
  }
  MR_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(allocator, DataType::kVariant, std::move(shape)));
  const absl::Span<VariantElement> out = tensor.mutable_flat<VariantElement>();
  MR_RETURN_IF_ERROR(content != nullptr
                         ? DecodeVariantContent(*content, out, allocator, depth)
                         : DecodeVariantValues(in, out, allocator, depth));
  return tensor;
}

}  // namespace millrace
