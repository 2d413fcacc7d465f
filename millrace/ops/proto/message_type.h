// ProtoMessageType: the type of messages, as protobuf describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/status.h"

namespace google::protobuf {
class Message;
}

namespace millrace::ops {

// The types of fields, by their numbers in descriptors.
enum class ProtoType : int {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kGroup = 10,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSfixed32 = 15,
  kSfixed64 = 16,
  kSint32 = 17,
  kSint64 = 18,
};

struct ProtoField {
  std::string name, full_name;
  std::string type_name;        // "sint32"
  std::string value_type_name;  // "int32"
  uint32_t number = 0;
  ProtoType type = ProtoType::kInt32;
  bool repeated = false;
  bool packed = false;
  // The value of a field that is not there: a number as WireNumber has it, or a
  // text.
  uint64_t default_bits = 0;
  std::string default_text;
};

// Immutable; any number of threads may use it at once.
class ProtoMessageType {
 public:
  // Finds a type by its full name, among those of the program, or in a
  // serialized FileDescriptorSet. Returns INVALID_ARGUMENT if there is none;
  // FAILED_PRECONDITION if the bytes are no such set; RESOURCE_EXHAUSTED if the
  // memory budget has no room for what they describe.
  static StatusOr<std::shared_ptr<const ProtoMessageType>> FindLocal(
      const std::string& name);
  static StatusOr<std::shared_ptr<const ProtoMessageType>> FindIn(
      absl::string_view descriptor_set, const std::string& name);
  ~ProtoMessageType();

  // Returns INVALID_ARGUMENT if there is no such field.
  StatusOr<ProtoField> Field(const std::string& name) const;
  // Return the serialized form of a message in text form, or of a serialized
  // one, which is then free of whatever is not valid. DATA_LOSS if it is none;
  // RESOURCE_EXHAUSTED if the memory budget has no room for protobuf's objects.
  StatusOr<std::string> FromText(absl::string_view text) const;
  StatusOr<std::string> Sanitized(absl::string_view bytes) const;

 private:
  struct Parts;
  // Returns a new message, and charges what its objects may take at most when
  // it is read from so many bytes.
  StatusOr<std::unique_ptr<google::protobuf::Message>> NewObject(
      size_t bytes, MemoryCharge* charge) const;
  explicit ProtoMessageType(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace millrace::ops
