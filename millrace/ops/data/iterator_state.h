// StateWriter and StateReader: the saved state of an iterator, tensors by key.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/status.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

class IteratorRuntime;

using StateMap = std::map<std::string, Tensor>;

class StateWriter {
 public:
  void Int(const std::string& key, int64_t value) {
    map_[key] = Tensor::Scalar<int64_t>(value);
  }
  void Value(const std::string& key, const Tensor& value) { map_[key] = value; }
  void Element(const std::string& key, const std::vector<Tensor>& element);
  // Returns what was written. Returns UNIMPLEMENTED if an element had handles
  // or variants, which may contain others without end.
  StatusOr<StateMap> Take();

 private:
  StateMap map_;
  Status status_;
};

// Reads a map, which may come from anywhere: returns NOT_FOUND for missing keys
// and INVALID_ARGUMENT for values of another form.
class StateReader {
 public:
  StateReader(const StateMap& map, IteratorRuntime& runtime)
      : map_(map), runtime_(runtime) {}
  // The runtime of the iterator that is being restored.
  IteratorRuntime& runtime() const { return runtime_; }
  bool Has(const std::string& key) const { return map_.count(key) != 0; }
  // Returns a number that must be at least `least`.
  StatusOr<int64_t> Int(const std::string& key, int64_t least) const;
  StatusOr<Tensor> Value(const std::string& key) const;
  // Returns an element whose components must have these types.
  StatusOr<std::vector<Tensor>> Element(const std::string& key,
                                        absl::Span<const DataType> types) const;

 private:
  const StateMap& map_;
  IteratorRuntime& runtime_;
};

}  // namespace millrace::ops
