#include "millrace/ops/data/iterator_state.h"

namespace millrace::ops {

void StateWriter::Element(const std::string& key,
                          const std::vector<Tensor>& element) {
  for (size_t i = 0; i < element.size(); ++i) {
    const DataType type = element[i].dtype();
    if (type == DataType::kResource || type == DataType::kVariant) {
      status_ = Unimplemented("the state of an iterator with elements of type ",
                              DataTypeName(type), " cannot be saved");
    }
    map_[absl::StrCat(key, "/", i)] = element[i];
  }
}

StatusOr<StateMap> StateWriter::Take() {
  MR_RETURN_IF_ERROR(status_);
  return std::move(map_);
}

StatusOr<Tensor> StateReader::Value(const std::string& key) const {
  const auto it = map_.find(key);
  if (it == map_.end()) {
    return NotFound("the saved state of the iterator has no ", key);
  }
  return it->second;
}

StatusOr<int64_t> StateReader::Int(const std::string& key,
                                   int64_t least) const {
  MR_ASSIGN_OR_RETURN(const Tensor t, Value(key));
  if (t.dtype() != DataType::kInt64 || t.rank() != 0) {
    return InvalidArgument("the saved state of the iterator has no number as ",
                           key);
  }
  const int64_t value = t.scalar<int64_t>();
  if (value < least) {
    return InvalidArgument("the saved state of the iterator has ", value,
                           " as ", key, ", expected at least ", least);
  }
  return value;
}

StatusOr<std::vector<Tensor>> StateReader::Element(
    const std::string& key, absl::Span<const DataType> types) const {
  std::vector<Tensor> element;
  for (size_t i = 0; i < types.size(); ++i) {
    MR_ASSIGN_OR_RETURN(Tensor t, Value(absl::StrCat(key, "/", i)));
    if (t.dtype() != types[i]) {
      return InvalidArgument("the saved state of the iterator has type ",
                             DataTypeName(t.dtype()), " in ", key,
                             ", expected ", DataTypeName(types[i]));
    }
    element.push_back(std::move(t));
  }
  return element;
}

}  // namespace millrace::ops
