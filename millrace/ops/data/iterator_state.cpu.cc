#include "millrace/ops/data/iterator_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "millrace/ops/data/dataset.h"
#include "millrace/tensor/variant/variant_content.h"

namespace millrace::ops {
namespace {

// The longest text of an error that a state may have.
constexpr size_t kLongestError = 4096;
// An entry of the map without its key's text and its tensor's buffer.
constexpr int64_t kBytesPerEntry = 128;

bool IsPlainVariant(const VariantElement& element) {
  if (element == nullptr) return true;
  VariantContent content;
  if (!element->ToWire(&content)) return false;
  return std::all_of(content.tensors.begin(), content.tensors.end(),
                     [](const Tensor& t) {
                       return !t.valid() || (t.dtype() != DataType::kVariant &&
                                             t.dtype() != DataType::kResource);
                     });
}

bool CanBeSaved(const Tensor& t) {
  if (t.dtype() == DataType::kResource) return false;
  if (t.dtype() != DataType::kVariant) return true;
  const auto elements = t.flat<VariantElement>();
  return std::all_of(elements.begin(), elements.end(), IsPlainVariant);
}

template <class... Ts>
Status NotAccepted(const std::string& key, const Ts&... what) {
  return InvalidArgument("the saved state of the iterator has ", what...,
                         " as ", key);
}

}  // namespace

Status StateWriter::Save(DatasetIterator& iterator, const std::string& prefix) {
  MR_RETURN_IF_ERROR(status_);
  if (depth_ >= kMaxDepth) {
    return ResourceExhausted("iterators of data sets nest deeper than ",
                             kMaxDepth, ", so their state cannot be saved");
  }
  ++depth_;
  Status saved = iterator.Save(*this, prefix);
  --depth_;
  return saved;
}

void StateWriter::Value(const std::string& key, const Tensor& value) {
  if (!status_.ok()) return;
  status_ = kept_.Add(kBytesPerEntry + static_cast<int64_t>(key.size()));
  if (status_.ok()) map_[key] = value;
}

void StateWriter::Element(const std::string& key,
                          const std::vector<Tensor>& element) {
  for (size_t i = 0; i < element.size(); ++i) {
    if (!CanBeSaved(element[i])) {
      status_ =
          Unimplemented("the state of an iterator with elements of type ",
                        DataTypeName(element[i].dtype()), " cannot be saved");
      return;
    }
    Value(absl::StrCat(key, "/", i), element[i]);
  }
}

void StateWriter::Result(const std::string& key, const Status& status,
                         const std::vector<Tensor>& element) {
  Int(key + ":code", static_cast<int64_t>(status.code()));
  if (status.ok()) return Element(key, element);
  Value(key + ":error", Tensor::Scalar<std::string>(std::string(
                            status.message().substr(0, kLongestError))));
}

void StateWriter::Copy(const IteratorStateValue& state, const std::string& from,
                       const std::string& to) {
  const std::vector<std::string>& keys = state.keys();
  for (size_t i = state.LowerBound(from);
       i < keys.size() && absl::StartsWith(keys[i], from); ++i) {
    Value(to + keys[i].substr(from.size()), state.tensors()[i]);
  }
}

StatusOr<VariantElement> StateWriter::Take() {
  MR_RETURN_IF_ERROR(status_);
  return IteratorStateValue::Make(std::move(map_));
}

StatusOr<const Tensor*> StateReader::Find(const std::string& key) const {
  const Tensor* const found = state_->Find(key);
  if (found != nullptr && found->valid()) return found;
  return NotFound("the saved state of the iterator has no ", key);
}

StatusOr<Tensor> StateReader::Value(const std::string& key, DataType type,
                                    int rank) const {
  MR_ASSIGN_OR_RETURN(const Tensor* const t, Find(key));
  if (t->dtype() == type && t->rank() == rank) return *t;
  return NotAccepted(key, "a tensor of type ", DataTypeName(t->dtype()),
                     " and shape ", t->shape().DebugString(),
                     " instead of type ", DataTypeName(type), " and ", rank,
                     " dimensions");
}

StatusOr<int64_t> StateReader::Number(const std::string& key) const {
  MR_ASSIGN_OR_RETURN(const Tensor t, Value(key, DataType::kInt64, 0));
  return t.scalar<int64_t>();
}

StatusOr<int64_t> StateReader::Count(const std::string& key,
                                     int64_t most) const {
  MR_ASSIGN_OR_RETURN(const int64_t value, Number(key));
  if (value >= 0 && value <= most) return value;
  return NotAccepted(key, value, " instead of a number from 0 to ", most);
}

StatusOr<bool> StateReader::Flag(const std::string& key) const {
  MR_ASSIGN_OR_RETURN(const int64_t value, Count(key, 1));
  return value != 0;
}

StatusOr<int64_t> StateReader::Size(const std::string& key,
                                    int64_t most) const {
  return Count(key,
               std::min(most, static_cast<int64_t>(state_->keys().size())));
}

StatusOr<std::vector<Tensor>> StateReader::Element(
    const std::string& key, absl::Span<const DataType> types) const {
  std::vector<Tensor> element;
  element.reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string name = absl::StrCat(key, "/", i);
    MR_ASSIGN_OR_RETURN(const Tensor* const t, Find(name));
    if (t->dtype() != types[i]) {
      return NotAccepted(name, "type ", DataTypeName(t->dtype()),
                         " instead of ", DataTypeName(types[i]));
    }
    element.push_back(*t);
  }
  return element;
}

Status StateReader::Result(const std::string& key,
                           absl::Span<const DataType> types, Status* status,
                           std::vector<Tensor>* element) const {
  constexpr auto kLast = static_cast<int64_t>(StatusCode::kUnauthenticated);
  MR_ASSIGN_OR_RETURN(const int64_t code, Count(key + ":code", kLast));
  *status = OkStatus();
  element->clear();
  if (code == 0) {
    MR_ASSIGN_OR_RETURN(*element, Element(key, types));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(const Tensor error,
                      Value(key + ":error", DataType::kString, 0));
  const absl::string_view text = error.scalar<StringElement>().view();
  *status = Status(static_cast<StatusCode>(code),
                   std::string(text.substr(0, kLongestError)));
  return OkStatus();
}

}  // namespace millrace::ops
