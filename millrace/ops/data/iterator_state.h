// StateWriter and StateReader: the saved state of an iterator, tensors by key.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/kept_charge.h"
#include "millrace/base/status.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/variant/iterator_state_value.h"

namespace millrace::ops {

class DatasetIterator;
class IteratorRuntime;

// The keys are charged to the memory budget. Once it has no room, nothing more
// is written, and Save and Take return RESOURCE_EXHAUSTED.
class StateWriter {
 public:
  // The depth to which iterators save each other: each call is on the stack of
  // the one above, and its keys begin with all prefixes above.
  static constexpr int kMaxDepth = 1000;

  // Saves the state of an iterator below the one that is being saved, which
  // calls this instead of the other's Save. Returns RESOURCE_EXHAUSTED if such
  // calls nest too deeply: data sets that functions make may, in iterators
  // that work ahead.
  Status Save(DatasetIterator& iterator, const std::string& prefix);
  void Int(const std::string& key, int64_t value) {
    Value(key, Tensor::Scalar<int64_t>(value));
  }
  void Value(const std::string& key, const Tensor& value);
  void Element(const std::string& key, const std::vector<Tensor>& element);
  // Writes an element, or the error that takes its place.
  void Result(const std::string& key, const Status& status,
              const std::vector<Tensor>& element);
  // Writes under keys that begin with `to` what `state` has under those that
  // begin with `from`.
  void Copy(const IteratorStateValue& state, const std::string& from,
            const std::string& to);
  // Returns what was written, an IteratorStateValue. Returns UNIMPLEMENTED if
  // an element had handles, or variants that cannot leave their process or
  // contain variants: those may be nested without end.
  StatusOr<VariantElement> Take();

 private:
  std::map<std::string, Tensor> map_;
  KeptSum kept_{"the state of an iterator"};
  Status status_;
  int depth_ = 0;
};

// Reads a state, which may come from anywhere. Each method says which values it
// accepts; it returns NOT_FOUND for missing keys and INVALID_ARGUMENT for
// others, so that what it returns is safe to count with. The tensors that it
// returns were charged for with the state.
class StateReader {
 public:
  // Counts are so small that no sum of a few overflows.
  static constexpr int64_t kMostCounted = int64_t{1} << 60;

  StateReader(Ref<const IteratorStateValue> state, IteratorRuntime& runtime)
      : state_(std::move(state)), runtime_(runtime) {}
  // The runtime of the iterator that is being restored.
  IteratorRuntime& runtime() const { return runtime_; }
  const Ref<const IteratorStateValue>& state() const { return state_; }

  // Returns a number, of those that this type has.
  StatusOr<int64_t> Number(const std::string& key) const;
  // Returns a number from 0 to `most`.
  StatusOr<int64_t> Count(const std::string& key,
                          int64_t most = kMostCounted) const;
  // Returns a number that is 0 or 1.
  StatusOr<bool> Flag(const std::string& key) const;
  // Returns the number of things that the state has, each under at least one
  // key of its own: at most `most` and the number of keys.
  StatusOr<int64_t> Size(const std::string& key,
                         int64_t most = kMostCounted) const;
  // Returns a tensor of this type and rank.
  StatusOr<Tensor> Value(const std::string& key, DataType type, int rank) const;
  // Returns an element whose components have these types. As in a pipeline,
  // whoever needs certain shapes checks them.
  StatusOr<std::vector<Tensor>> Element(const std::string& key,
                                        absl::Span<const DataType> types) const;
  // Reads an element, or the error that takes its place, into `*element` or
  // `*status`, the other of which becomes empty or OK.
  Status Result(const std::string& key, absl::Span<const DataType> types,
                Status* status, std::vector<Tensor>* element) const;

 private:
  StatusOr<const Tensor*> Find(const std::string& key) const;

  const Ref<const IteratorStateValue> state_;
  IteratorRuntime& runtime_;
};

}  // namespace millrace::ops
