// Encodes a message struct, by the fields that VisitFields lists; the
// counterpart of message_decoder.h. Zero and empty fields are left out.
#pragma once

#include <bit>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "millrace/protocol/message_decoder.h"

namespace millrace::internal {

class FieldEncoder {
 public:
  explicit FieldEncoder(StringForm strings) : strings_(strings) {}

  Status TakeStatus() { return std::move(status_); }
  ChunkWriter& out() { return out_; }

  template <class T>
  void operator()(uint32_t number, const T& v) {
    if constexpr (std::is_integral_v<T>) {
      // Negative numbers take ten bytes, as protocol buffers require.
      out_.VarintField(number, static_cast<uint64_t>(v));
    } else if constexpr (std::is_enum_v<T>) {
      out_.VarintField(number, static_cast<uint64_t>(static_cast<int64_t>(v)));
    } else {
      Write(number, v, /*always=*/false);
    }
  }
  void operator()(uint32_t number, uint64_t v, Fixed64) {
    out_.Fixed64Field(number, v);
  }
  void operator()(uint32_t number, const ByteChunks& content, ContentInAny);
  void operator()(StatusNumbers numbers, const Status& status);

 private:
  // Empty values are written if `always` is set, as for elements of repeated
  // fields.
  void Write(uint32_t number, const std::string& v, bool always) {
    if (always || !v.empty()) out_.RequiredBytesField(number, v);
  }
  void Write(uint32_t number, double v, bool always);
  void Write(uint32_t number, float v, bool always);
  void Write(uint32_t number, const Tensor& v, bool always);
  void Write(uint32_t number, const NamedTensor& v, bool always);
  void Write(uint32_t number, const PartialShape& v, bool always);
  void Write(uint32_t number, const GraphDef& v, bool always);
  void Write(uint32_t number, const std::vector<float>& v, bool always);
  template <class T>
  void Write(uint32_t number, const std::optional<T>& v, bool) {
    if (v) Write(number, *v, /*always=*/true);
  }
  template <class T>
  void Write(uint32_t number, const std::vector<T>& v, bool) {
    if constexpr (std::is_integral_v<T>) {
      if (v.empty()) return;
      ChunkWriter packed;
      for (T i : v) packed.Varint(static_cast<uint64_t>(i));
      out_.NestedField(number, std::move(packed));
    } else {
      for (const T& element : v) Write(number, element, /*always=*/true);
    }
  }
  template <class K, class V>
  void Write(uint32_t number, const std::map<K, V>& v, bool) {
    for (const auto& [key, value] : v) {
      FieldEncoder entry(strings_);
      entry(1, key);
      entry(2, value);
      Nested(number, std::move(entry), /*always=*/true);
    }
  }
  template <class M>
  void Write(uint32_t number, const M& message, bool always) {
    FieldEncoder nested(strings_);
    nested.WriteMessage(message);
    Nested(number, std::move(nested), always);
  }
  void Nested(uint32_t number, FieldEncoder nested, bool always) {
    UpdateStatus(status_, nested.status_);
    if (always || nested.out_.size_bytes() > 0)
      out_.NestedField(number, std::move(nested.out_));
  }

 public:
  template <class M>
  void WriteMessage(const M& m) {
    VisitFields(m, *this);
    if constexpr (requires { m.unknown_fields; }) out_.Raw(m.unknown_fields);
  }

 private:
  ChunkWriter out_;
  StringForm strings_;
  Status status_;
};

template <class M>
StatusOr<ByteChunks> EncodeMessage(const M& m,
                                   StringForm strings = StringForm::kValues) {
  FieldEncoder f(strings);
  f.WriteMessage(m);
  MR_RETURN_IF_ERROR(f.TakeStatus());
  return std::move(f.out()).Finish();
}

}  // namespace millrace::internal
