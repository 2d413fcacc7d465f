// Serialized Example and SequenceExample messages for cases.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/coding.h"
#include "tests/cases/case.h"

namespace millrace::cases {

inline std::string Field(uint32_t number, const std::string& bytes) {
  std::string out;
  PutVarint32(&out, number << 3 | 2);
  PutVarint64(&out, bytes.size());
  return out + bytes;
}

// How numbers of a feature are encoded: packed, or each as a field.
enum class Packing { kPacked, kLoose };

// Return features.
inline std::string Bytes(std::initializer_list<std::string> values) {
  std::string list;
  for (const std::string& v : values) list += Field(1, v);
  return Field(1, list);
}
inline std::string Floats(std::initializer_list<float> values,
                          Packing packing = Packing::kPacked) {
  const bool packed = packing == Packing::kPacked;
  std::string list;
  for (const float v : values) {
    if (!packed) list.push_back('\x0d');
    list.append(reinterpret_cast<const char*>(&v), sizeof(v));
  }
  return Field(2, packed ? Field(1, list) : list);
}
inline std::string Ints(std::initializer_list<int64_t> values,
                        Packing packing = Packing::kPacked) {
  const bool packed = packing == Packing::kPacked;
  std::string list;
  for (const int64_t v : values) {
    if (!packed) list.push_back('\x08');
    PutVarint64(&list, static_cast<uint64_t>(v));
  }
  return Field(3, packed ? Field(1, list) : list);
}

using Entries = std::initializer_list<std::pair<std::string, std::string>>;

// Returns a map of features, or of lists of features.
inline std::string MapOf(Entries entries) {
  std::string map;
  for (const auto& [key, value] : entries) {
    map += Field(1, Field(1, key) + Field(2, value));
  }
  return map;
}
inline std::string Example(Entries features) {
  return Field(1, MapOf(features));
}
// Returns a list of features.
inline std::string Rows(std::initializer_list<std::string> features) {
  std::string list;
  for (const std::string& f : features) list += Field(1, f);
  return list;
}
inline std::string Sequence(Entries context, Entries lists) {
  return Field(1, MapOf(context)) + Field(2, MapOf(lists));
}

// Returns a vector of serialized messages.
inline Value Text(const std::vector<std::string>& strings) {
  Tensor t = Tensor::New(DataType::kString,
                         TensorShape({static_cast<int64_t>(strings.size())}));
  for (size_t i = 0; i < strings.size(); ++i) {
    t.mutable_flat<StringElement>()[i].Assign(strings[i]);
  }
  return t;
}

// Returns a vector of no names.
inline Value NoStrings() { return Empty(DataType::kString, {0}); }

}  // namespace millrace::cases
