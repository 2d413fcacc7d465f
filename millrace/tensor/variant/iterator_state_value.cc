#include "millrace/tensor/variant/iterator_state_value.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {
namespace {

// The metadata are a message: the version, then the keys. The version is raised
// when keys get another meaning.
constexpr uint32_t kStateVersion = 1, kStateKeys = 2;
constexpr absl::string_view kVersion = "millrace 1";
// Longer versions are not shown.
constexpr size_t kLongestVersion = 100;

Status MalformedState() {
  return InvalidArgument("malformed metadata of the state of an iterator");
}

Status CheckVersion(const ChunkReader& version) {
  const std::string got = version.remaining() > kLongestVersion
                              ? std::string("a version too long")
                              : version.CopyRest();
  if (got == kVersion) return OkStatus();
  return InvalidArgument("the state of an iterator has version \"",
                         absl::CHexEscape(got), "\", accepted is \"", kVersion,
                         "\": it is restored by the program that saved it");
}

// Visits the fields of the metadata. Returns false if they are malformed.
template <class OnVersion, class OnKey>
bool ReadMetadata(ChunkReader in, OnVersion&& on_version, OnKey&& on_key) {
  while (!in.done()) {
    FieldTag tag;
    ChunkReader value;
    if (!in.ReadTag(&tag)) return false;
    const bool is_version = tag.Is(kStateVersion, WireType::kBytes);
    if (!is_version && !tag.Is(kStateKeys, WireType::kBytes)) return false;
    if (!in.ReadBytes(&value)) return false;
    if (is_version) {
      on_version(value);
    } else {
      on_key(value);
    }
  }
  return true;
}

int64_t KeyBytes(const std::vector<std::string>& keys) {
  size_t bytes = keys.capacity() * sizeof(std::string);
  for (const std::string& key : keys) bytes += key.size();
  return static_cast<int64_t>(bytes);
}

}  // namespace

StatusOr<Ref<VariantValue>> IteratorStateValue::Make(
    std::map<std::string, Tensor> state) {
  auto made = MakeRef<IteratorStateValue>();
  made->keys_.reserve(state.size());
  made->tensors_.reserve(state.size());
  for (auto& [key, tensor] : state) {
    made->keys_.push_back(key);
    made->tensors_.push_back(std::move(tensor));
  }
  MR_RETURN_IF_ERROR(made->charge_.Set(
      KeyBytes(made->keys_) +
          static_cast<int64_t>(made->tensors_.capacity() * sizeof(Tensor)),
      "the state of an iterator"));
  return Ref<VariantValue>(std::move(made));
}

StatusOr<Ref<VariantValue>> IteratorStateValue::FromWire(DecodedVariant in) {
  ChunkReader version;
  size_t count = 0, bytes = 0;
  if (!ReadMetadata(
          in.metadata, [&](const ChunkReader& v) { version = v; },
          [&](const ChunkReader& key) {
            ++count;
            bytes += key.remaining();
          })) {
    return MalformedState();
  }
  MR_RETURN_IF_ERROR(CheckVersion(version));
  if (count != in.tensors.size()) {
    return InvalidArgument("the state of an iterator has ", count, " keys and ",
                           in.tensors.size(), " tensors");
  }
  auto made = MakeRef<IteratorStateValue>();
  MR_RETURN_IF_ERROR(made->charge_.Set(
      static_cast<int64_t>(count * sizeof(std::string) + bytes),
      "the state of an iterator"));
  made->keys_.reserve(count);
  ReadMetadata(
      in.metadata, [](const ChunkReader&) {},
      [&](const ChunkReader& key) { made->keys_.push_back(key.CopyRest()); });
  const auto unordered = std::adjacent_find(
      made->keys_.begin(), made->keys_.end(),
      [](const std::string& a, const std::string& b) { return a >= b; });
  if (unordered != made->keys_.end()) {
    return InvalidArgument(
        "the keys of the state of an iterator do not ascend");
  }
  made->tensors_ = std::move(in.tensors);
  made->tensors_charge_ = std::move(in.charge);
  return Ref<VariantValue>(std::move(made));
}

bool IteratorStateValue::ToWire(VariantContent* content) const {
  ChunkWriter metadata;
  metadata.BytesField(kStateVersion, kVersion);
  for (const std::string& key : keys_) {
    metadata.RequiredBytesField(kStateKeys, key);
  }
  content->metadata = std::move(metadata).Finish().Flatten();
  content->tensors = tensors_;
  return true;
}

size_t IteratorStateValue::LowerBound(absl::string_view key) const {
  return static_cast<size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) -
                             keys_.begin());
}

const Tensor* IteratorStateValue::Find(absl::string_view key) const {
  const size_t i = LowerBound(key);
  return i < keys_.size() && keys_[i] == key ? &tensors_[i] : nullptr;
}

}  // namespace millrace
