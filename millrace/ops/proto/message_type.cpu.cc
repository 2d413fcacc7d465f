#include "millrace/ops/proto/message_type.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
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

// What messages of some types may have in them, about. Types come from outside,
// and may have any number of fields.
struct Reach {
  size_t types = 0;
  int64_t largest_object = 0;  // bytes

  // Adds a type and those that are declared in it; how deeply they nest is
  // limited where descriptions are parsed.
  void Add(const pb::Descriptor& type) {
    constexpr int64_t kObjectBytes = 64, kFieldBytes = 40;
    ++types;
    largest_object = std::max(largest_object,
                              kObjectBytes + kFieldBytes * type.field_count());
    for (int i = 0; i < type.nested_type_count(); ++i) {
      Add(*type.nested_type(i));
    }
  }
  void Add(const pb::FileDescriptor& file) {
    for (int i = 0; i < file.message_type_count(); ++i) {
      Add(*file.message_type(i));
    }
  }
};

}  // namespace

struct ProtoMessageType::Parts {
  MemoryCharge charge;  // of the descriptions
  // Null if the type is one of the program. Each lives longer than those below.
  std::unique_ptr<pb::DescriptorPool> pool;
  const pb::Descriptor* descriptor = nullptr;
  Reach reach;                        // of all types that messages may name
  pb::DynamicMessageFactory factory;  // thread-safe

  // Returns whether there is a type of this name.
  bool Find(const pb::DescriptorPool& in, const std::string& name) {
    descriptor = in.FindMessageTypeByName(name);
    return descriptor != nullptr;
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
  parts->reach.Add(*parts->descriptor->file());
  return std::shared_ptr<const ProtoMessageType>(
      new ProtoMessageType(std::move(parts)));
}

StatusOr<std::shared_ptr<const ProtoMessageType>> ProtoMessageType::FindIn(
    absl::string_view descriptor_set, const std::string& name) {
  // Two bytes may describe an empty file, which is an object of some size.
  constexpr int64_t kBytesPerByte = 128;
  auto parts = std::make_unique<Parts>();
  MR_RETURN_IF_ERROR(parts->charge.Set(
      static_cast<int64_t>(descriptor_set.size()) * kBytesPerByte,
      "descriptions of messages"));
  pb::FileDescriptorSet set;
  if (TooLong(descriptor_set) ||
      !set.ParseFromArray(descriptor_set.data(),
                          static_cast<int>(descriptor_set.size()))) {
    return FailedPrecondition("not a serialized FileDescriptorSet");
  }
  parts->pool = std::make_unique<pb::DescriptorPool>();
  for (const pb::FileDescriptorProto& file : set.file()) {
    FirstTypeError error;
    const pb::FileDescriptor* const built =
        parts->pool->BuildFileCollectingErrors(file, &error);
    if (built == nullptr) {
      return InvalidArgument("Failed to load FileDescriptorProto: ",
                             error.text);
    }
    parts->reach.Add(*built);
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

StatusOr<std::unique_ptr<pb::Message>> ProtoMessageType::NewObject(
    size_t bytes, MemoryCharge* charge) const {
  // Protobuf calls itself for each type that it meets for the first time.
  constexpr size_t kMostTypes = 2000;
  const Reach& reach = parts_->reach;
  if (reach.types > kMostTypes) {
    return ResourceExhausted("a set of ", reach.types,
                             " message types has too many, ", kMostTypes,
                             " are the most");
  }
  if (bytes > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return ResourceExhausted("a message of ", bytes, " bytes is too long");
  }
  // A message in a message takes at least two bytes.
  const auto size = static_cast<int64_t>(bytes);
  MR_RETURN_IF_ERROR(charge->Set(16 * size + size / 2 * reach.largest_object,
                                 "a message as objects"));
  return std::unique_ptr<pb::Message>(
      parts_->factory.GetPrototype(parts_->descriptor)->New());
}

StatusOr<std::string> ProtoMessageType::FromText(absl::string_view text) const {
  MemoryCharge charge;
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<pb::Message> message,
                      NewObject(text.size(), &charge));
  SilentTextErrors errors;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kMostNested);
  std::string bytes;
  pb::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&in, message.get()) &&
      message->SerializePartialToString(&bytes)) {
    return bytes;
  }
  return DataLoss("Unable to parse text protobuf");
}

StatusOr<std::string> ProtoMessageType::Sanitized(
    absl::string_view bytes) const {
  MemoryCharge charge;
  MR_ASSIGN_OR_RETURN(const std::unique_ptr<pb::Message> message,
                      NewObject(bytes.size(), &charge));
  std::string out;
  if (message->ParsePartialFromArray(bytes.data(),
                                     static_cast<int>(bytes.size())) &&
      message->IsInitialized() && message->SerializePartialToString(&out)) {
    return out;
  }
  return DataLoss("Unable to parse binary protobuf");
}

}  // namespace millrace::ops
