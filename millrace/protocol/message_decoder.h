// Decodes a message struct from bytes, by the fields that VisitFields lists.
//
// For the .cc files of this room only. A struct's fields are declared once:
//   MR_FIELDS(CloseSessionRequest) { f(1, m.session_handle); }
// and serve both directions. Unknown fields are skipped, or kept if the struct
// has `unknown_fields`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "millrace/base/memory/decode_charge.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/protocol/worker.h"
#include "millrace/tensor/wire.h"

#define MR_FIELDS(Message)                                 \
  template <class M, class F>                              \
  requires std::is_same_v<std::remove_const_t<M>, Message> \
  void VisitFields([[maybe_unused]] M& m, [[maybe_unused]] F& f)

namespace millrace::internal {

// Fields of our own, with numbers that no stock message uses, so that stock
// peers skip them: the derived mark of a Status in a body, the traces of a
// RunGraph, the number of a RegisterGraph.
inline constexpr uint32_t kDerivedField = 20001;
inline constexpr uint32_t kTraceIdsField = 20002;
inline constexpr uint32_t kRegistrationField = 20003;

// The field numbers of a Status in the body of a message.
struct StatusNumbers {
  uint32_t code, message;
};
// An Any with a RecvBufRespExtra, whose bytes are not copied.
struct ContentInAny {};
// A uint64 that has 8 bytes on the wire.
struct Fixed64 {};

// The parts of a Status, which are separate fields.
struct StatusParts {
  Status* target = nullptr;
  int code = 0;
  std::string message;
  bool derived = false;
  void Finish();
};

template <class M>
Status DecodeMessage(ChunkReader in, M* m);

// Offers the current field of `in` to each field of the struct in turn.
class FieldDecoder {
 public:
  FieldDecoder(ChunkReader* in, FieldTag tag, StatusParts* parts)
      : in_(in), tag_(tag), parts_(parts) {}

  bool matched() const { return matched_; }
  Status TakeStatus() { return std::move(status_); }

  // `place...` describes the encoding of the field if its type does not.
  template <class T, class... Place>
  void operator()(uint32_t number, T& field, Place... place) {
    if (tag_.number != number || matched_) return;
    matched_ = Read(field, place...);
  }
  void operator()(StatusNumbers numbers, Status& status);

 private:
  // Each Read returns false if the wire type is not the field's, so that the
  // field counts as unknown; errors for malformed bytes and refused values are
  // stored in status_.
  template <class T>
  bool Read(T& v) {
    if constexpr (std::is_same_v<T, DataType>) {
      return ReadDataType(&v);
    } else if constexpr (std::is_same_v<T, bool>) {
      return tag_.type == WireType::kVarint && Matched(in_->ReadBool(&v));
    } else if constexpr (std::is_integral_v<T>) {
      return tag_.type == WireType::kVarint && Matched(in_->ReadInt(&v));
    } else if constexpr (std::is_enum_v<T>) {
      int32_t number = 0;
      if (tag_.type != WireType::kVarint) return false;
      if (Note(in_->ReadInt(&number))) v = static_cast<T>(number);
      return true;
    } else if constexpr (std::is_same_v<T, double> ||
                         std::is_same_v<T, float>) {
      return ReadReal(&v);
    } else {
      ChunkReader value;
      if (tag_.type != WireType::kBytes) return false;
      if (Note(in_->ReadBytes(&value))) status_ = ReadValue(value, v);
      return true;
    }
  }
  bool Read(uint64_t& v, Fixed64) {
    return tag_.type == WireType::kFixed64 && Matched(in_->ReadFixed64(&v));
  }
  bool Read(ByteChunks& content, ContentInAny);
  // Reads repeated numbers, packed or one by one.
  template <class I>
  requires std::is_integral_v<I>
  bool Read(std::vector<I>& v) {
    I one;
    if (tag_.type == WireType::kVarint) {
      if (Note(in_->ReadInt(&one))) v.push_back(one);
      return true;
    }
    ChunkReader packed;
    if (tag_.type != WireType::kBytes) return false;
    if (!Note(in_->ReadBytes(&packed))) return true;
    while (!packed.done()) {
      status_ = DecodeCharge::Count(sizeof(I));
      if (!status_.ok() || !Note(packed.ReadInt(&one))) return true;
      v.push_back(one);
    }
    return true;
  }
  bool Read(std::vector<float>& v);
  bool ReadReal(double* v);
  bool ReadReal(float* v);
  bool ReadDataType(DataType* v);

  // Read the values of length-delimited fields.
  static Status ReadValue(ChunkReader value, std::string& v) {
    const absl::string_view bytes = value.ContiguousRest();
    if (bytes.size() == value.remaining()) {
      v.assign(bytes.data(), bytes.size());
    } else {
      v = value.CopyRest();
    }
    return OkStatus();
  }
  static Status ReadValue(ChunkReader value, Tensor& v) {
    MR_ASSIGN_OR_RETURN(v, DecodeTensor(value, HostAllocator()));
    return OkStatus();
  }
  static Status ReadValue(ChunkReader value, NamedTensor& v);
  static Status ReadValue(ChunkReader value, PartialShape& v) {
    MR_ASSIGN_OR_RETURN(v, DecodePartialShape(value));
    return OkStatus();
  }
  static Status ReadValue(ChunkReader value, GraphDef& v);
  template <class T>
  static Status ReadValue(ChunkReader value, std::optional<T>& v) {
    return ReadValue(value, v.emplace());
  }
  template <class T>
  static Status ReadValue(ChunkReader value, std::vector<T>& v) {
    MR_RETURN_IF_ERROR(DecodeCharge::Count(sizeof(T)));
    return ReadValue(value, v.emplace_back());
  }
  template <class K, class V>
  static Status ReadValue(ChunkReader value, std::map<K, V>& v) {
    MapEntry<K, V> entry;
    constexpr size_t kLinksBytes = 48;  // of a node of the tree
    MR_RETURN_IF_ERROR(DecodeCharge::Count(sizeof(entry) + kLinksBytes));
    MR_RETURN_IF_ERROR(DecodeMessage(value, &entry));
    v[std::move(entry.key)] = std::move(entry.value);
    return OkStatus();
  }
  template <class M>
  static Status ReadValue(ChunkReader value, M& message) {
    return DecodeMessage(value, &message);
  }

  template <class K, class V>
  struct MapEntry {
    K key{};
    V value{};
    friend void VisitFields(MapEntry& m, FieldDecoder& f) {
      f(1, m.key);
      f(2, m.value);
    }
  };

  // Records malformed bytes; returns `ok`.
  bool Note(bool ok) {
    if (!ok) [[unlikely]]
      Malformed();
    return ok;
  }
  // Does the same for a field that matches in either case.
  bool Matched(bool ok) {
    Note(ok);
    return true;
  }
  void Malformed();

  ChunkReader* in_;
  FieldTag tag_;
  StatusParts* parts_;
  bool matched_ = false;
  Status status_;
};

Status MalformedMessage();

template <class M>
Status DecodeMessage(ChunkReader in, M* m) {
  StatusParts parts;
  while (!in.done()) {
    ChunkReader start = in;
    FieldTag tag;
    if (!in.ReadTag(&tag)) return MalformedMessage();
    FieldDecoder f(&in, tag, &parts);
    VisitFields(*m, f);
    if (f.matched()) {
      MR_RETURN_IF_ERROR(f.TakeStatus());
      continue;
    }
    if (!in.SkipField(tag)) return MalformedMessage();
    if constexpr (requires { m->unknown_fields; }) {
      const size_t size = start.remaining() - in.remaining();
      std::string bytes(size, '\0');
      start.CopyTo(bytes.data(), size);
      m->unknown_fields += bytes;
    }
  }
  parts.Finish();
  return OkStatus();
}

}  // namespace millrace::internal
