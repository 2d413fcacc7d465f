#include "millrace/ops/proto/message_type.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <bit>
#include <limits>

namespace millrace::ops {
namespace {

namespace pb = google::protobuf;

constexpr int kMostNested = 100;  // messages in messages of a text

bool TooLong(absl::string_view bytes) {
  return bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max());
}

// The first error of a description of types.
class FirstTypeError final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element,
                const pb::Message*, ErrorLocation,
                const std::string& message) override {
    if (text.empty()) text = absl::StrCat(file, ": ", element, ": ", message);
  }
  void AddWarning(const std::string&, const std::string&, const pb::Message*,
                  ErrorLocation, const std::string&) override {}

  std::string text;
};

// Errors of a text are not logged.
class SilentTextErrors final : public pb::io::ErrorCollector {
 public:
  void AddError(int, pb::io::ColumnNumber, const std::string&) override {}
  void AddWarning(int, pb::io::ColumnNumber, const std::string&) override {}
};

uint64_t ZigZag(int64_t v) {
  return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63);
}

// Returns the default as WireNumber reads it.
uint64_t DefaultBits(const pb::FieldDescriptor& f) {
  switch (f.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return std::bit_cast<uint64_t>(f.default_value_double());
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return std::bit_cast<uint32_t>(f.default_value_float());
    case pb::FieldDescriptor::CPPTYPE_INT32: {
      const int64_t v = f.default_value_int32();
      return f.type() == pb::FieldDescriptor::TYPE_SINT32
                 ? ZigZag(v)
                 : static_cast<uint64_t>(v);
    }
    case pb::FieldDescriptor::CPPTYPE_INT64: {
      const int64_t v = f.default_value_int64();
      return f.type() == pb::FieldDescriptor::TYPE_SINT64
                 ? ZigZag(v)
                 : static_cast<uint64_t>(v);
    }
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return f.default_value_uint32();
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return f.default_value_uint64();
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return f.default_value_bool() ? 1 : 0;
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      return static_cast<uint64_t>(int64_t{f.default_value_enum()->number()});
    default:
      return 0;
  }
}

}  // namespace

struct ProtoMessageType::Parts {
  // Null if the type is one of the program. Each lives longer than those below.
  std::unique_ptr<pb::DescriptorPool> pool;
  const pb::Descriptor* descriptor = nullptr;
  pb::DynamicMessageFactory factory;
  const pb::Message* prototype = nullptr;

  // Returns whether there is a type of this name.
  bool Find(const pb::DescriptorPool& in, const std::string& name) {
    descriptor = in.FindMessageTypeByName(name);
    if (descriptor == nullptr) return false;
    prototype = factory.GetPrototype(descriptor);
    return prototype != nullptr;
  }
};

ProtoMessageType::ProtoMessageType(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
ProtoMessageType::~ProtoMessageType() = default;

StatusOr<std::shared_ptr<const ProtoMessageType>> ProtoMessageType::FindLocal(
    const std::string& name) {
  auto parts = std::make_unique<Parts>();
  if (!parts->Find(*pb::DescriptorPool::generated_pool(), name)) {
    return InvalidArgument("No descriptor found for message type ", name);
  }
  return std::shared_ptr<const ProtoMessageType>(
      new ProtoMessageType(std::move(parts)));
}

StatusOr<std::shared_ptr<const ProtoMessageType>> ProtoMessageType::FindIn(
    absl::string_view descriptor_set, const std::string& name) {
  pb::FileDescriptorSet set;
  if (TooLong(descriptor_set) ||
      !set.ParseFromArray(descriptor_set.data(),
                          static_cast<int>(descriptor_set.size()))) {
    return FailedPrecondition("not a serialized FileDescriptorSet");
  }
  auto parts = std::make_unique<Parts>();
  parts->pool = std::make_unique<pb::DescriptorPool>();
  for (const pb::FileDescriptorProto& file : set.file()) {
    FirstTypeError error;
    if (parts->pool->BuildFileCollectingErrors(file, &error) == nullptr) {
      return InvalidArgument("Failed to load FileDescriptorProto: ",
                             error.text);
    }
  }
  if (!parts->Find(*parts->pool, name)) {
    return InvalidArgument("No descriptor found for message type ", name);
  }
  return std::shared_ptr<const ProtoMessageType>(
      new ProtoMessageType(std::move(parts)));
}

StatusOr<ProtoField> ProtoMessageType::Field(const std::string& name) const {
  const pb::FieldDescriptor* const f =
      parts_->descriptor->FindFieldByName(name);
  if (f == nullptr) {
    return InvalidArgument("Unknown field: ", name, " in message type ",
                           parts_->descriptor->full_name());
  }
  ProtoField field{.name = name,
                   .full_name = f->full_name(),
                   .type_name = f->type_name(),
                   .value_type_name = f->cpp_type_name(),
                   .number = static_cast<uint32_t>(f->number()),
                   .type = static_cast<ProtoType>(f->type()),
                   .repeated = f->is_repeated(),
                   .packed = f->is_packed(),
                   .default_bits = DefaultBits(*f)};
  if (f->cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING) {
    field.default_text = f->default_value_string();
  }
  return field;
}

StatusOr<std::string> ProtoMessageType::FromText(absl::string_view text) const {
  const std::unique_ptr<pb::Message> message(parts_->prototype->New());
  SilentTextErrors errors;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kMostNested);
  std::string bytes;
  if (!TooLong(text)) {
    pb::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
    if (parser.Parse(&in, message.get()) &&
        message->SerializePartialToString(&bytes)) {
      return bytes;
    }
  }
  return DataLoss("Unable to parse text protobuf");
}

StatusOr<std::string> ProtoMessageType::Sanitized(
    absl::string_view bytes) const {
  const std::unique_ptr<pb::Message> message(parts_->prototype->New());
  std::string out;
  if (!TooLong(bytes) &&
      message->ParsePartialFromArray(bytes.data(),
                                     static_cast<int>(bytes.size())) &&
      message->IsInitialized() && message->SerializePartialToString(&out)) {
    return out;
  }
  return DataLoss("Unable to parse binary protobuf");
}

}  // namespace millrace::ops
