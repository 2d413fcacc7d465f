// DatasetValue: a data set, as the value of a variant. DatasetIterator: one
// pass over its elements.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

// What Next says of an element that is not there yet, or never will be.
enum class Pull { kElement, kEnd, kPending };

// One thread at a time. No call waits.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  // kElement: `*out` is the next element. kEnd: there are no more, now and in
  // later calls. kPending: the poll's task is woken when it is worth to ask
  // again; nothing is lost by asking later, or never. An error is that of one
  // element; the next call goes on behind it; OUT_OF_RANGE becomes INTERNAL, as
  // in stock. Iterators call those below them
  // by PollContext::Next only.
  virtual StatusOr<Pull> Next(PollContext& ctx, Element* out) = 0;

  // The state, under keys that begin with `prefix`, and back, into an iterator
  // that was just made. Only between two calls of Next that did not give
  // kPending. UNIMPLEMENTED for those that cannot.
  virtual Status Save(StateWriter& out, const std::string& prefix);
  virtual Status Restore(StateReader& in, const std::string& prefix);
};

class IteratorRuntime;

// Immutable.
class DatasetValue : public VariantValue {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::DatasetVariantWrapper";
  static constexpr int64_t kInfinite = -1, kUnknown = -2;
  // Data sets over data sets, and in captured or contained tensors, at most:
  // iterators call each other that deep.
  static constexpr int kMaxDepth = 500;

  DatasetValue(ElementSignature signature, int depth)
      : signature_(std::move(signature)), depth_(depth) {}

  absl::string_view type_name() const override { return kTypeName; }
  const ElementSignature& signature() const { return signature_; }
  int depth() const { return depth_; }
  virtual StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime& runtime) const = 0;
  // Number of elements, kInfinite or kUnknown.
  virtual int64_t Cardinality() const { return kUnknown; }

 private:
  const ElementSignature signature_;
  const int depth_;
};

using DatasetRef = Ref<const DatasetValue>;

// The data set in input `i`, a scalar; INVALID_ARGUMENT for anything else.
StatusOr<DatasetRef> DatasetOfInput(KernelContext& ctx, int i);
StatusOr<DatasetRef> DatasetOfTensor(const Tensor& t);
// The deepest data set in a variant tensor; 0 if there is none.
int DepthOf(const Tensor& t);
// One more than those of the inputs, which are data sets or tensors that a
// data set keeps. INVALID_ARGUMENT above DatasetValue::kMaxDepth.
StatusOr<int> DepthAbove(const std::vector<DatasetRef>& inputs,
                         absl::Span<const Tensor> tensors = {});
Tensor TensorOfDataset(Ref<DatasetValue> dataset);

// The node's output_types and output_shapes, which must be as many.
StatusOr<ElementSignature> SignatureOf(const KernelContext& ctx);

// Whether a parallel op gives its elements in order: attribute sloppy, or
// deterministic, which is "true", "false" or "default"; true without either.
StatusOr<bool> IsDeterministic(const AttrMap& attrs);

// INVALID_ARGUMENT in stock's words if the second does not fit the first.
Status CheckTypes(absl::Span<const DataType> expected,
                  absl::Span<const DataType> got);
Status CheckShapes(absl::Span<const PartialShape> expected,
                   absl::Span<const PartialShape> got);
// An element against what its data set promised.
Status CheckElement(const ElementSignature& expected, const Element& got);
// The outputs of a node, if they are of its output_types and output_shapes.
Status SetOutputs(KernelContext& ctx, Element element);

// A scalar of type T in input `i`, by the name of the argument.
template <class T>
StatusOr<T> ScalarInput(KernelContext& ctx, int i, absl::string_view name) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) return InvalidArgument(name, " must be a scalar");
  return t.scalar<T>();
}
StatusOr<std::string> StringInput(KernelContext& ctx, int i,
                                  absl::string_view name);

// The kernel of an op with one output, a data set, which `kBuild` makes.
using DatasetBuilder = StatusOr<Ref<DatasetValue>>(KernelContext& ctx);
template <DatasetBuilder* kBuild>
Status RunDatasetKernel(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Ref<DatasetValue> made, kBuild(ctx));
  ctx.set_output(0, TensorOfDataset(std::move(made)));
  return OkStatus();
}
#define MR_DATASET_KERNEL(build) \
  { .make = MakeFunctionKernel<RunDatasetKernel<build>>, .cheap = true }

}  // namespace millrace::ops
