// Takes fields off serialized messages, in place.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "millrace/base/coding.h"
#include "millrace/ops/proto/message_type.h"
#include "millrace/tensor/dtype.h"

namespace millrace::ops {

enum class WireKind : int {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// Returns how a field of this type is written if it is not packed.
inline WireKind WireKindOf(ProtoType type) {
  switch (type) {
    case ProtoType::kDouble:
    case ProtoType::kFixed64:
    case ProtoType::kSfixed64:
      return WireKind::kFixed64;
    case ProtoType::kFloat:
    case ProtoType::kFixed32:
    case ProtoType::kSfixed32:
      return WireKind::kFixed32;
    case ProtoType::kString:
    case ProtoType::kBytes:
    case ProtoType::kMessage:
      return WireKind::kBytes;
    case ProtoType::kGroup:
      return WireKind::kStartGroup;
    default:
      return WireKind::kVarint;
  }
}

inline bool IsText(ProtoType type) {
  const WireKind kind = WireKindOf(type);
  return kind == WireKind::kBytes || kind == WireKind::kStartGroup;
}

// Returns whether tensors of this type hold the values of such fields.
inline bool Holds(DataType tensor, ProtoType field) {
  switch (field) {
    case ProtoType::kDouble:
      return tensor == DataType::kDouble;
    case ProtoType::kFloat:
      return tensor == DataType::kFloat || tensor == DataType::kDouble;
    case ProtoType::kInt64:
    case ProtoType::kSfixed64:
    case ProtoType::kSint64:
      return tensor == DataType::kInt64;
    case ProtoType::kUint64:
    case ProtoType::kFixed64:
      return tensor == DataType::kUint64;
    case ProtoType::kInt32:
    case ProtoType::kSfixed32:
    case ProtoType::kSint32:
      return tensor == DataType::kInt32 || tensor == DataType::kInt64;
    case ProtoType::kUint32:
    case ProtoType::kFixed32:
      return tensor == DataType::kUint32 || tensor == DataType::kUint64;
    case ProtoType::kBool:
      return tensor == DataType::kBool;
    case ProtoType::kEnum:
      return tensor == DataType::kInt32;
    case ProtoType::kString:
    case ProtoType::kBytes:
    case ProtoType::kMessage:
    case ProtoType::kGroup:
      return tensor == DataType::kString;
  }
  return false;
}

struct WireTag {
  uint32_t number = 0;
  WireKind kind = WireKind::kVarint;
};

// The content of a field: a number as it is written, or bytes.
struct WireContent {
  uint64_t bits = 0;
  absl::string_view bytes;
};

// Takes a tag off the front. Returns false if there is no valid one.
inline bool TakeTag(absl::string_view* in, WireTag* tag) {
  uint64_t key;
  absl::string_view rest = *in;
  if (!GetVarint64(&rest, &key) || key >> 32 != 0 || key >> 3 == 0 ||
      (key & 7) > static_cast<uint64_t>(WireKind::kFixed32)) {
    return false;
  }
  *tag = {static_cast<uint32_t>(key >> 3), static_cast<WireKind>(key & 7)};
  *in = rest;
  return true;
}

// Takes content that is no group off the front.
inline bool TakeScalar(WireKind kind, absl::string_view* in,
                       WireContent* content) {
  uint32_t fixed32 = 0;
  switch (kind) {
    case WireKind::kVarint:
      return GetVarint64(in, &content->bits);
    case WireKind::kFixed64:
      return GetFixed64(in, &content->bits);
    case WireKind::kFixed32:
      if (!GetFixed32(in, &fixed32)) return false;
      content->bits = fixed32;
      return true;
    case WireKind::kBytes: {
      uint64_t size = 0;
      if (!GetVarint64(in, &size) || size > in->size()) return false;
      content->bytes = in->substr(0, static_cast<size_t>(size));
      in->remove_prefix(static_cast<size_t>(size));
      return true;
    }
    default:
      return false;
  }
}

// Takes the content behind a tag off the front. Returns false if it is cut off
// or malformed. Groups may nest as deeply as in protobuf.
inline bool TakeContent(const WireTag& tag, absl::string_view* in,
                        WireContent* content) {
  if (tag.kind != WireKind::kStartGroup) {
    return TakeScalar(tag.kind, in, content);
  }
  constexpr size_t kMostGroups = 100;
  uint32_t open[kMostGroups] = {tag.number};
  size_t depth = 1;
  const absl::string_view all = *in;
  while (true) {
    const size_t before = all.size() - in->size();
    WireTag inner;
    WireContent ignored;
    if (!TakeTag(in, &inner)) return false;
    if (inner.kind == WireKind::kEndGroup) {
      if (inner.number != open[--depth]) return false;
      if (depth > 0) continue;
      content->bytes = all.substr(0, before);
      return true;
    }
    if (inner.kind == WireKind::kStartGroup) {
      if (depth == kMostGroups) return false;
      open[depth++] = inner.number;
    } else if (!TakeScalar(inner.kind, in, &ignored)) {
      return false;
    }
  }
}

// Returns a field's number; `bits` are as they are written.
template <class T>
T WireNumber(ProtoType type, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  switch (type) {
    case ProtoType::kDouble:
      return static_cast<T>(std::bit_cast<double>(bits));
    case ProtoType::kFloat:
      return static_cast<T>(std::bit_cast<float>(low));
    case ProtoType::kInt64:
    case ProtoType::kSfixed64:
      return static_cast<T>(static_cast<int64_t>(bits));
    case ProtoType::kSint64:
      return static_cast<T>(
          static_cast<int64_t>(bits >> 1 ^ (~(bits & 1) + 1)));
    case ProtoType::kSint32:
      return static_cast<T>(static_cast<int32_t>(low >> 1 ^ (~(low & 1) + 1)));
    case ProtoType::kInt32:
    case ProtoType::kSfixed32:
    case ProtoType::kEnum:
      return static_cast<T>(static_cast<int32_t>(low));
    case ProtoType::kUint32:
    case ProtoType::kFixed32:
      return static_cast<T>(low);
    case ProtoType::kBool:
      return static_cast<T>(bits != 0);
    default:
      return static_cast<T>(bits);
  }
}

// Returns a number as it is written in a field of this type. Numbers that do
// not fit the type lose their upper bits.
template <class T>
uint64_t WireBits(ProtoType type, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return type == ProtoType::kFloat
               ? std::bit_cast<uint32_t>(static_cast<float>(value))
               : std::bit_cast<uint64_t>(static_cast<double>(value));
  } else {
    const auto wide = static_cast<int64_t>(value);
    const auto narrow = static_cast<int32_t>(value);
    switch (type) {
      case ProtoType::kSint64:
        return static_cast<uint64_t>(wide) << 1 ^
               static_cast<uint64_t>(wide >> 63);
      case ProtoType::kSint32:
        return static_cast<uint32_t>(narrow) << 1 ^
               static_cast<uint32_t>(narrow >> 31);
      case ProtoType::kInt32:
      case ProtoType::kEnum:
        return static_cast<uint64_t>(int64_t{narrow});
      case ProtoType::kUint32:
      case ProtoType::kFixed32:
      case ProtoType::kSfixed32:
        return static_cast<uint32_t>(narrow);
      default:
        return static_cast<uint64_t>(wide);
    }
  }
}

}  // namespace millrace::ops
