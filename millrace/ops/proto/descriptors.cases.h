// A description of a message type, and messages, for cases.
#pragma once

#include <cstdint>
#include <string>

#include "tests/cases/case.h"

namespace millrace::cases {

inline std::string WireVarint(uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out.push_back(static_cast<char>(v | 0x80));
  out.push_back(static_cast<char>(v));
  return out;
}
inline std::string WireInt(uint64_t field, uint64_t v) {
  return WireVarint(field << 3) + WireVarint(v);
}
inline std::string WireBytes(uint64_t field, const std::string& bytes) {
  return WireVarint(field << 3 | 2) + WireVarint(bytes.size()) + bytes;
}
inline std::string WireFixed32(uint64_t field, uint32_t v) {
  std::string out = WireVarint(field << 3 | 5);
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(v >> (8 * i)));
  return out;
}
inline std::string WireFixed64(uint64_t field, uint64_t v) {
  std::string out = WireVarint(field << 3 | 1);
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(v >> (8 * i)));
  return out;
}

// The types of fields, in the order of their numbers in descriptors.
struct FieldType {
  const char* name;
  DataType tensor;
};
inline constexpr FieldType kFieldTypes[] = {
    {"double", DataType::kDouble},  {"float", DataType::kFloat},
    {"int64", DataType::kInt64},    {"uint64", DataType::kUint64},
    {"int32", DataType::kInt32},    {"fixed64", DataType::kUint64},
    {"fixed32", DataType::kUint32}, {"bool", DataType::kBool},
    {"string", DataType::kString},  {"group", DataType::kString},
    {"message", DataType::kString}, {"bytes", DataType::kString},
    {"uint32", DataType::kUint32},  {"enum", DataType::kInt32},
    {"sfixed32", DataType::kInt32}, {"sfixed64", DataType::kInt64},
    {"sint32", DataType::kInt32},   {"sint64", DataType::kInt64},
};
inline constexpr int kOptional = 1, kRepeated = 3;

inline std::string FieldDescriptor(const std::string& name, int number,
                                   int label, int type,
                                   const std::string& more = "") {
  const std::string type_name = type == 10   ? ".my.M.G"
                                : type == 11 ? ".my.M"
                                : type == 14 ? ".my.M.E"
                                             : "";
  std::string field = WireBytes(1, name) +
                      WireInt(3, static_cast<uint64_t>(number)) +
                      WireInt(4, static_cast<uint64_t>(label)) +
                      WireInt(5, static_cast<uint64_t>(type));
  if (!type_name.empty()) field += WireBytes(6, type_name);
  return WireBytes(2, field + more);
}

// Returns a source of descriptors: my.M has for each type, by number t, the
// fields o_TYPE (t), which is optional, r_TYPE (100 + t), repeated, and p_TYPE
// (200 + t), packed; and d_int32 (300) and d_string (301), with defaults.
inline std::string MessageDescriptors() {
  std::string message = WireBytes(1, "M");
  for (int type = 1; type <= 18; ++type) {
    const std::string name = kFieldTypes[type - 1].name;
    message += FieldDescriptor("o_" + name, type, kOptional, type);
    message += FieldDescriptor("r_" + name, 100 + type, kRepeated, type);
    if (type >= 9 && type <= 12) continue;
    message += FieldDescriptor("p_" + name, 200 + type, kRepeated, type,
                               WireBytes(8, WireInt(2, 1)));
  }
  message += FieldDescriptor("d_int32", 300, kOptional, 5, WireBytes(7, "42"));
  message +=
      FieldDescriptor("d_string", 301, kOptional, 9, WireBytes(7, "none"));
  message +=
      WireBytes(3, WireBytes(1, "G") + FieldDescriptor("x", 1, kOptional, 5));
  message += WireBytes(4, WireBytes(1, "E") +
                              WireBytes(2, WireBytes(1, "A") + WireInt(2, 0)) +
                              WireBytes(2, WireBytes(1, "B") + WireInt(2, 5)));
  return "bytes://" +
         WireBytes(1, WireBytes(1, "my.proto") + WireBytes(2, "my") +
                          WireBytes(4, message));
}

}  // namespace millrace::cases
