// The parts of message_decoder.h and message_encoder.h that are not templates.
#include "millrace/protocol/message_encoder.h"

#include "millrace/base/utf8.h"

namespace millrace::internal {
namespace {

constexpr absl::string_view kContentUrl =
    "type.googleapis.com/tensorflow.RecvBufRespExtra";

}  // namespace

Status MalformedMessage() { return InvalidArgument("malformed message"); }

void StatusParts::Finish() {
  if (target == nullptr) return;
  if (code == 0) {
    *target = OkStatus();
    return;
  }
  const bool known =
      code > 0 && code <= static_cast<int>(StatusCode::kUnauthenticated);
  *target = Status(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                   message);
  if (derived) *target = MarkDerived(*target);
}

void FieldDecoder::Malformed() { status_ = MalformedMessage(); }

void FieldDecoder::operator()(StatusNumbers numbers, Status& status) {
  if (matched_) return;
  const bool mine = tag_.Is(numbers.code, WireType::kVarint) ||
                    tag_.Is(numbers.message, WireType::kBytes) ||
                    tag_.Is(kDerivedField, WireType::kVarint);
  if (!mine) return;
  matched_ = true;
  parts_->target = &status;
  if (tag_.number == numbers.code) {
    Note(in_->ReadInt(&parts_->code));
  } else if (tag_.number == numbers.message) {
    Note(in_->ReadString(&parts_->message));
  } else {
    Note(in_->ReadBool(&parts_->derived));
  }
}

bool FieldDecoder::Read(ByteChunks& content, ContentInAny) {
  if (tag_.type != WireType::kBytes) return false;
  ChunkReader any;
  if (!in_->ReadBytes(&any)) {
    Malformed();
    return true;
  }
  // type_url comes first or last; a value of another type is ignored.
  std::string url;
  ChunkReader extra;
  while (!any.done()) {
    FieldTag t;
    if (!any.ReadTag(&t) ||
        !(t.Is(1, WireType::kBytes)   ? any.ReadString(&url)
          : t.Is(2, WireType::kBytes) ? any.ReadBytes(&extra)
                                      : any.SkipField(t))) {
      Malformed();
      return true;
    }
  }
  if (url != kContentUrl) return true;
  while (!extra.done()) {
    FieldTag t;
    ChunkReader piece;
    if (!extra.ReadTag(&t) ||
        !(t.Is(1, WireType::kBytes) ? extra.ReadBytes(&piece)
                                    : extra.SkipField(t))) {
      Malformed();
      return true;
    }
    content.Append(piece.ShareRest());
  }
  return true;
}

bool FieldDecoder::ReadReal(double* v) {
  uint64_t bits;
  if (tag_.type != WireType::kFixed64) return false;
  if (!in_->ReadFixed64(&bits)) {
    Malformed();
  } else {
    *v = std::bit_cast<double>(bits);
  }
  return true;
}

bool FieldDecoder::ReadReal(float* v) {
  uint32_t bits;
  if (tag_.type != WireType::kFixed32) return false;
  if (!in_->ReadFixed32(&bits)) {
    Malformed();
  } else {
    *v = std::bit_cast<float>(bits);
  }
  return true;
}

bool FieldDecoder::Read(std::vector<float>& v) {
  if (tag_.type == WireType::kFixed32) return ReadReal(&v.emplace_back());
  ChunkReader packed;
  if (tag_.type != WireType::kBytes) return false;
  if (!Note(in_->ReadBytes(&packed))) return true;
  while (!packed.done()) {
    uint32_t bits;
    if (!Note(packed.ReadFixed32(&bits))) return true;
    v.push_back(std::bit_cast<float>(bits));
  }
  return true;
}

bool FieldDecoder::ReadDataType(DataType* v) {
  if (tag_.type != WireType::kVarint) return false;
  int number = 0;
  if (!in_->ReadInt(&number)) {
    Malformed();
    return true;
  }
  *v = DataType::kInvalid;
  if (number == 0) return true;
  StatusOr<DataType> type = CheckedDataType(number, /*allow_ref=*/true);
  if (type.ok()) {
    *v = *type;
  } else {
    status_ = type.status();
  }
  return true;
}

// Decoded by hand and not by VisitFields: this is the hot path, and errors name
// the tensor.
Status FieldDecoder::ReadValue(ChunkReader value, NamedTensor& v) {
  ChunkReader tensor;
  while (!value.done()) {
    FieldTag t;
    if (!value.ReadTag(&t) ||
        !(t.Is(1, WireType::kBytes)   ? value.ReadString(&v.name)
          : t.Is(2, WireType::kBytes) ? value.ReadBytes(&tensor)
                                      : value.SkipField(t))) {
      return MalformedMessage();
    }
  }
  StatusOr<Tensor> decoded = DecodeTensor(tensor, HostAllocator());
  if (!decoded.ok())
    return Prefix(absl::StrCat("tensor '", v.name, "': "), decoded.status());
  v.tensor = *std::move(decoded);
  return OkStatus();
}

Status FieldDecoder::ReadValue(ChunkReader value, GraphDef& v) {
  MR_ASSIGN_OR_RETURN(v, ParseGraphDef(value));
  return OkStatus();
}

void FieldEncoder::operator()(StatusNumbers numbers, const Status& status) {
  if (status.ok()) return;
  out_.VarintField(numbers.code, static_cast<uint64_t>(status.code()));
  // A proto3 string must be valid UTF-8, or readers may refuse it; messages may
  // quote input from clients.
  out_.BytesField(numbers.message, WellFormed(status.message()));
  if (IsDerived(status)) out_.VarintField(kDerivedField, 1);
}

void FieldEncoder::operator()(uint32_t number, const ByteChunks& content,
                              ContentInAny) {
  if (content.empty()) return;
  ChunkWriter extra;
  extra.BytesHeader(1, content.size_bytes());
  extra.Append(content);
  ChunkWriter any;
  any.BytesField(1, kContentUrl);
  any.NestedField(2, std::move(extra));
  out_.NestedField(number, std::move(any));
}

void FieldEncoder::Write(uint32_t number, double v, bool) {
  out_.Fixed64Field(number, std::bit_cast<uint64_t>(v));
}

void FieldEncoder::Write(uint32_t number, float v, bool) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  if (bits == 0) return;
  out_.Tag(number, WireType::kFixed32);
  out_.Raw({reinterpret_cast<const char*>(&bits), sizeof(bits)});
}

void FieldEncoder::Write(uint32_t number, const std::vector<float>& v, bool) {
  if (!v.empty()) {
    out_.RequiredBytesField(number, {reinterpret_cast<const char*>(v.data()),
                                     v.size() * sizeof(float)});
  }
}

void FieldEncoder::Write(uint32_t number, const Tensor& v, bool always) {
  if (!always && !v.valid()) return;
  StatusOr<size_t> size = EncodedTensorSize(v, strings_);
  if (!size.ok()) {
    UpdateStatus(status_, size.status());
    return;
  }
  out_.BytesHeader(number, *size);
  EncodeTensor(v, strings_, &out_);
}

// Written at once, without a nested writer: this is the hot path.
void FieldEncoder::Write(uint32_t number, const NamedTensor& v, bool) {
  StatusOr<size_t> size = EncodedTensorSize(v.tensor, strings_);
  if (!size.ok()) {
    UpdateStatus(status_, Prefix(absl::StrCat(v.name, ": "), size.status()));
    return;
  }
  const size_t name_size = v.name.empty() ? 0 : BytesFieldSize(v.name.size());
  out_.BytesHeader(number, name_size + BytesFieldSize(*size));
  out_.BytesField(1, v.name);
  out_.BytesHeader(2, *size);
  EncodeTensor(v.tensor, strings_, &out_);
}

void FieldEncoder::Write(uint32_t number, const PartialShape& v, bool) {
  ChunkWriter shape;
  EncodeShape(v, &shape);
  out_.NestedField(number, std::move(shape));
}

void FieldEncoder::Write(uint32_t number, const GraphDef& v, bool always) {
  const ByteChunks bytes = EncodeGraphDef(v);
  if (!always && bytes.empty()) return;
  out_.BytesHeader(number, bytes.size_bytes());
  out_.Append(bytes);
}

}  // namespace millrace::internal
