// DatasetValue: a data set, which is the value of a variant. DatasetIterator:
// one pass over its elements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/data/iterator_state.h"
#include "millrace/ops/data/poll_context.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// The components of an element.
using Element = std::vector<Tensor>;

struct ElementSignature {
  std::vector<DataType> types;
  std::vector<PartialShape> shapes;
};

// The state of the element that Next was asked for: it is there, there will
// never be one, or it is not there yet.
enum class Pull { kElement, kEnd, kPending };

// May be used by one thread at a time. No call blocks.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  // Gets the next element. kElement: `*out` is the next element. kEnd: there
  // are no more elements, now and in later calls. kPending: the poll's task is
  // woken when a new call is worthwhile; nothing is lost if that call comes
  // later or never. An error is that of one element; the next call continues
  // behind that element. OUT_OF_RANGE becomes INTERNAL, as in stock. Iterators
  // call those below them by PollContext::Next only.
  virtual StatusOr<Pull> Next(PollContext& ctx, Element* out) = 0;

  // Lets what works ahead of Next come to rest, here and in the iterators
  // below, whose Settle it calls by PollContext; the next call of Next lets it
  // go on. Returns whether nothing is in progress any more; if not, the poll's
  // task is woken when a new call is worthwhile. Requires: no call of Next that
  // returned kPending is unfinished.
  virtual bool Settle(PollContext&) { return true; }
  // Save writes the state under keys that begin with `prefix`; Restore reads it
  // into a newly made iterator, and may leave work for the first call of Next.
  // Requires of Save: Settle has returned true since the last call of Next; an
  // iterator that still works ahead returns FAILED_PRECONDITION. They return
  // UNIMPLEMENTED for iterators without support. Iterators save those below
  // them by StateWriter::Save only.
  virtual Status Save(StateWriter& out, const std::string& prefix);
  virtual Status Restore(StateReader& in, const std::string& prefix);

 private:
  friend class IteratorRuntime;
  MemoryCharge charge_;  // set by IteratorRuntime::MakeIterator
};

class IteratorRuntime;

// The node that made a data set, from which it can be made anew. Immutable.
struct DatasetOrigin {
  AttrMap attrs;
  // The inputs by position. Handles of resources are not kept: they are not
  // valid here.
  std::vector<Tensor> inputs;
  // The functions that the attributes name; null if they name none.
  std::shared_ptr<const FunctionSource> functions;
};
// Requires: no input has been taken.
std::unique_ptr<const DatasetOrigin> OriginOf(KernelContext& ctx);

// A data set. Immutable.
class DatasetValue : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::DatasetVariantWrapper";
  static constexpr int64_t kInfinite = -1, kUnknown = -2;
  // The largest depth of data sets over data sets, captured and contained ones
  // included: calls of iterators nest as deeply.
  static constexpr int kMaxDepth = 500;
  // The largest number of components: one that joins others, nested, has as
  // many times those of the innermost as it has paths to it.
  static constexpr size_t kMaxComponents = 1 << 16;

  DatasetValue(ElementSignature signature, int depth)
      : signature_(std::move(signature)), depth_(depth) {}

  absl::string_view type_name() const override { return kTypeName; }
  const ElementSignature& signature() const { return signature_; }
  int depth() const { return depth_; }
  virtual StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime& runtime) const = 0;
  // Returns the number of elements, kInfinite or kUnknown.
  virtual int64_t Cardinality() const { return kUnknown; }

  // Returns the data sets that this one is made from.
  virtual absl::Span<const Ref<const DatasetValue>> inputs() const {
    return {};
  }
  // Returns the same data set over as many other inputs of the same signatures;
  // null if it has none, or if there is no memory for it.
  virtual Ref<const DatasetValue> WithInputs(
      std::vector<Ref<const DatasetValue>>) const {
    return nullptr;
  }
  // Returns the data set of every `shards`-th file, from file `index` on; null
  // if this does not read files itself.
  virtual Ref<const DatasetValue> ShardOfFiles(int64_t /*shards*/,
                                               int64_t /*index*/) const {
    return nullptr;
  }

  // Returns whether each element of the first input becomes a data set that
  // reads files.
  virtual bool OpensFiles() const { return false; }

  // Returns what stock's paths of iterators call those of this data set; empty
  // if the name follows from the op.
  virtual absl::string_view NameInPaths() const { return {}; }

  // Charges the memory of this to the budget, with `more` bytes that it keeps
  // beside its signature and that no allocator counts. Returns
  // RESOURCE_EXHAUSTED if there is no room. Called once, before anybody else
  // has this.
  Status Charge(int64_t more = 0);

  // The op that made this; empty if none did. Set before anybody else has this.
  const std::string& op() const { return op_; }
  void set_op(std::string op) { op_ = std::move(op); }

  // The node that made this; null if it is not known. Set before anybody else
  // has this.
  const DatasetOrigin* origin() const { return origin_.get(); }
  void set_origin(std::unique_ptr<const DatasetOrigin> origin) {
    origin_ = std::move(origin);
  }

 private:
  const ElementSignature signature_;
  const int depth_;
  std::string op_;
  std::unique_ptr<const DatasetOrigin> origin_;
  MemoryCharge charge_;
};

using DatasetRef = Ref<const DatasetValue>;

// The value of a variant that holds a data set without being one. Immutable.
class WrappedDataset final : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::WrappedDatasetVariant";
  explicit WrappedDataset(DatasetRef dataset) : dataset_(std::move(dataset)) {}
  absl::string_view type_name() const override { return kTypeName; }
  const DatasetRef& dataset() const { return dataset_; }

 private:
  const DatasetRef dataset_;
};

// Returns the data set in input `i`, a scalar, or INVALID_ARGUMENT for anything
// else.
StatusOr<DatasetRef> DatasetOfInput(KernelContext& ctx, int i);
StatusOr<DatasetRef> DatasetOfTensor(const Tensor& t);
// Returns the depth of the deepest data set in a variant tensor, where one that
// is wrapped counts one more, or 0 if there is none.
int DepthOf(const Tensor& t);
// Returns one more than the depth of the inputs: data sets, and tensors that a
// data set keeps. Returns INVALID_ARGUMENT above DatasetValue::kMaxDepth.
StatusOr<int> DepthAbove(const std::vector<DatasetRef>& inputs,
                         absl::Span<const Tensor> tensors = {});
Tensor TensorOfDataset(const DatasetRef& dataset);

// Returns the node's output_types and output_shapes. Their numbers must be
// equal.
StatusOr<ElementSignature> SignatureOf(const KernelContext& ctx);
// Does the same where the caller compares the numbers.
StatusOr<ElementSignature> DeclaredSignature(const KernelContext& ctx);
// Returns the error of a node that declares other numbers of types and shapes.
Status ComponentsDiffer(const ElementSignature& declared);
// Returns what elements are that come from any of `datasets`, which have the
// same types: of their shapes what all have in common. Requires: there are
// some.
ElementSignature SignatureOfAny(absl::Span<const DatasetRef> datasets);

// Returns whether a parallel op must keep the order of elements: by its
// attribute sloppy, or by deterministic, which is "true", "false" or "default";
// true without either.
StatusOr<bool> IsDeterministic(const AttrMap& attrs);

// Return INVALID_ARGUMENT in stock's words if the second argument does not fit
// the first.
Status CheckTypes(absl::Span<const DataType> expected,
                  absl::Span<const DataType> got);
Status CheckShapes(absl::Span<const PartialShape> expected,
                   absl::Span<const PartialShape> got);
// Checks that an element has the types and shapes that its data set promised.
Status CheckElement(const ElementSignature& expected, const Element& got);
// Sets the node's outputs to `element` if it has the node's output_types and
// output_shapes; else returns an error.
Status SetOutputs(KernelContext& ctx, Element element);

// Returns the scalar of type T in input `i`; `name` is the argument's name for
// messages.
template <class T>
StatusOr<T> ScalarInput(KernelContext& ctx, int i, absl::string_view name) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) return InvalidArgument(name, " must be a scalar");
  return t.scalar<T>();
}
StatusOr<std::string> StringInput(KernelContext& ctx, int i,
                                  absl::string_view name);

// Checks what stock reads of a data set's node before its inputs: the metadata
// are a message, the library has the functions, and `deterministic` is known.
Status CheckDatasetNode(KernelContext& ctx);

// The kernel of an op whose only output is a data set, which `kBuild` makes.
using DatasetBuilder = StatusOr<Ref<DatasetValue>>(KernelContext& ctx);
template <DatasetBuilder* kBuild>
Status RunDatasetKernel(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckDatasetNode(ctx));
  std::unique_ptr<const DatasetOrigin> origin = OriginOf(ctx);
  MR_ASSIGN_OR_RETURN(Ref<DatasetValue> made, kBuild(ctx));
  made->set_op(ctx.node().op->name);
  made->set_origin(std::move(origin));
  // It keeps its inputs as such, and perhaps as parts of functions.
  MR_RETURN_IF_ERROR(made->Charge(ctx.num_inputs() * 2 *
                                  static_cast<int64_t>(sizeof(Tensor))));
  ctx.set_output(0, TensorOfDataset(std::move(made)));
  return OkStatus();
}
#define MR_DATASET_KERNEL(build) \
  { .make = MakeFunctionKernel<RunDatasetKernel<build>>, .cheap = true }

}  // namespace millrace::ops
