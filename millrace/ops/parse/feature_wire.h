// Features of serialized Example and SequenceExample messages, read in place.
//
//   Example          features = 1
//   SequenceExample  context = 1 (Features), feature_lists = 2
//   Features, FeatureLists    a map = 1 of entries {key = 1, value = 2}
//   Feature          one of bytes_list = 1, float_list = 2, int64_list = 3
//   FeatureList      feature = 1, repeated
//   BytesList, FloatList, Int64List    value = 1, repeated (packed or not)
//
// The bytes are not trusted: nothing is read beyond them, and nothing is
// stored.
#pragma once

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "millrace/base/coding.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Reads the fields of a message from its front.
class FieldCursor {
 public:
  explicit FieldCursor(absl::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  // Reads the next field; `bytes` is set for those that have a length. Returns
  // false for malformed fields and for groups.
  bool Next(uint32_t* tag, absl::string_view* bytes) {
    if (!GetVarint32(&rest_, tag)) return false;
    uint64_t number = 0;
    switch (*tag & 7) {
      case 0:
        return GetVarint64(&rest_, &number);
      case 1:
        return Skip(8);
      case 2:
        return GetLengthPrefixed(&rest_, bytes);
      case 5:
        return Skip(4);
      default:
        return false;
    }
  }

 private:
  bool Skip(size_t n) {
    if (rest_.size() < n) return false;
    rest_.remove_prefix(n);
    return true;
  }

  absl::string_view rest_;
};

// Returns the tag of a field with a length.
constexpr uint32_t BytesTag(uint32_t number) { return number << 3 | 2; }
constexpr uint32_t kVarintTag = 1 << 3;       // value = 1 of an Int64List
constexpr uint32_t kFixed32Tag = 1 << 3 | 5;  // value = 1 of a FloatList

// Calls f(tag number, bytes) for the fields with a length. Returns false if
// `message` is malformed or f returns false.
template <class F>
bool VisitFields(absl::string_view message, F f) {
  for (FieldCursor in(message); !in.done();) {
    uint32_t tag = 0;
    absl::string_view bytes;
    if (!in.Next(&tag, &bytes)) return false;
    if ((tag & 7) == 2 && !f(tag >> 3, bytes)) return false;
  }
  return true;
}

// Calls f(key, value) for the entries of the map in Features or FeatureLists,
// in order; the last one of a key counts. Returns false if the map is
// malformed.
template <class F>
bool VisitMap(absl::string_view message, F f) {
  return VisitFields(message, [&](uint32_t number, absl::string_view entry) {
    if (number != 1) return true;
    absl::string_view key, value;
    const bool good =
        VisitFields(entry, [&](uint32_t field, absl::string_view bytes) {
          if (field == 1) key = bytes;
          if (field == 2) value = bytes;
          return true;
        });
    if (good) f(key, value);
    return good;
  });
}

struct FeatureView {
  DataType type = DataType::kInvalid;  // kString, kFloat, kInt64; or no value
  absl::string_view list;              // the list's message
  bool complete = true;                // false: the list is truncated
};

// Returns false if the feature begins with a field that is not a list.
inline bool ReadFeature(absl::string_view feature, FeatureView* view) {
  *view = FeatureView();
  if (feature.empty()) return true;
  switch (static_cast<unsigned char>(feature[0])) {
    case BytesTag(1):
      view->type = DataType::kString;
      break;
    case BytesTag(2):
      view->type = DataType::kFloat;
      break;
    case BytesTag(3):
      view->type = DataType::kInt64;
      break;
    default:
      return false;
  }
  feature.remove_prefix(1);
  view->complete = GetLengthPrefixed(&feature, &view->list);
  return true;
}

namespace internal {

// Calls f(bytes) for each value of a BytesList.
template <class F>
bool VisitStrings(absl::string_view list, F f) {
  while (!list.empty()) {
    if (list[0] != static_cast<char>(BytesTag(1))) return false;
    list.remove_prefix(1);
    absl::string_view value;
    if (!GetLengthPrefixed(&list, &value)) return false;
    f(value);
  }
  return true;
}

// Calls f(bytes) for runs of floats.
template <class F>
bool VisitFloats(absl::string_view list, F f) {
  while (!list.empty()) {
    const auto tag = static_cast<unsigned char>(list[0]);
    list.remove_prefix(1);
    absl::string_view run;
    if (tag == BytesTag(1)) {
      if (!GetLengthPrefixed(&list, &run) || run.size() % 4 != 0) return false;
    } else if (tag == kFixed32Tag && list.size() >= 4) {
      run = list.substr(0, 4);
      list.remove_prefix(4);
    } else {
      return false;
    }
    f(run);
  }
  return true;
}

// Calls f(number) for each value of an Int64List.
template <class F>
bool VisitInts(absl::string_view list, F f) {
  while (!list.empty()) {
    const auto tag = static_cast<unsigned char>(list[0]);
    list.remove_prefix(1);
    uint64_t number = 0;
    if (tag == kVarintTag) {
      if (!GetVarint64(&list, &number)) return false;
      f(number);
      continue;
    }
    absl::string_view run;
    if (tag != BytesTag(1) || !GetLengthPrefixed(&list, &run)) return false;
    while (!run.empty()) {
      if (!GetVarint64(&run, &number)) return false;
      f(number);
    }
  }
  return true;
}

}  // namespace internal

// Returns the number of values, which is at most the number of bytes, or -1 if
// the list is malformed.
inline int64_t CountValues(const FeatureView& view) {
  if (!view.complete) return -1;
  int64_t count = 0;
  bool good = true;
  switch (view.type) {
    case DataType::kString:
      good = internal::VisitStrings(view.list,
                                    [&](absl::string_view) { ++count; });
      break;
    case DataType::kFloat:
      good = internal::VisitFloats(view.list, [&](absl::string_view run) {
        count += static_cast<int64_t>(run.size() / 4);
      });
      break;
    case DataType::kInt64:
      good = internal::VisitInts(view.list, [&](uint64_t) { ++count; });
      break;
    default:
      break;
  }
  return good ? count : -1;
}

// Writes the values to `elements` of the feature's type, from element `offset`
// on. Requires: CountValues did not return -1.
inline void CopyValues(const FeatureView& view, char* elements,
                       int64_t offset) {
  switch (view.type) {
    case DataType::kString: {
      auto* to = reinterpret_cast<StringElement*>(elements) + offset;
      internal::VisitStrings(view.list,
                             [&](absl::string_view v) { (to++)->Assign(v); });
      break;
    }
    case DataType::kFloat: {
      char* to = elements + offset * 4;
      internal::VisitFloats(view.list, [&](absl::string_view run) {
        if (run.empty()) return;
        std::memcpy(to, run.data(), run.size());
        to += run.size();
      });
      break;
    }
    case DataType::kInt64: {
      auto* to = reinterpret_cast<int64_t*>(elements) + offset;
      internal::VisitInts(view.list,
                          [&](uint64_t v) { *to++ = static_cast<int64_t>(v); });
      break;
    }
    default:
      break;
  }
}

}  // namespace millrace::ops
