// ShapeContext: the view of one node that a shape function has.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "millrace/base/check.h"
#include "millrace/graph/graph_def.h"
#include "millrace/graph/op_def.h"

namespace millrace {

// The type and shape, as far as known, of the value behind a resource handle.
struct HandleShape {
  DataType dtype = DataType::kInvalid;
  PartialShape shape;
  friend bool operator==(const HandleShape& a, const HandleShape& b) = default;
};

// The argument of a shape function, which lives for one call, on one thread.
class ShapeContext {
 public:
  // The known facts about an input except its value, which the finders below
  // find.
  struct Input {
    PartialShape shape;
    std::vector<HandleShape> handles;
  };
  // Find, on demand, the value of input i, or of a shape-like int vector as far
  // as it is known (unknown elements are -1).
  using ConstantFinder = absl::FunctionRef<const Tensor*(int input)>;
  using PartialFinder = absl::FunctionRef<bool(int input, PartialShape*)>;

  ShapeContext(const std::string& node_name, const OpDef& op,
               const AttrMap& attrs, std::vector<Input> inputs, int num_outputs,
               ConstantFinder constant, PartialFinder partial)
      : node_name_(node_name),
        op_(op),
        attrs_(attrs),
        inputs_(std::move(inputs)),
        outputs_(static_cast<size_t>(num_outputs)),
        output_handles_(static_cast<size_t>(num_outputs)),
        constant_(constant),
        partial_(partial) {}

  // The version of the graph's oldest producer; 0 if it is not known.
  int32_t producer() const { return producer_; }
  void set_producer(int32_t producer) { producer_ = producer; }

  const std::string& node_name() const { return node_name_; }
  const OpDef& op() const { return op_; }
  const AttrMap& attrs() const { return attrs_; }
  template <class T>
  StatusOr<T> Attr(absl::string_view name) const {
    return GetAttr<T>(attrs_, name);
  }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // If a shape function asks for an index beyond these (where two attributes of
  // a graph give inconsistent numbers), debug builds abort; others return
  // unknown shapes, and drop the shapes that it sets.
  const PartialShape& input(int i) const {
    return At(inputs_, i, no_input_).shape;
  }

  // Returns the shape of input i, which must have this rank; if the rank was
  // unknown, with unknown sizes. Returns INVALID_ARGUMENT "Shape must be rank 2
  // but is rank 3".
  StatusOr<PartialShape> WithRank(int i, int rank) const;
  StatusOr<PartialShape> WithRankAtLeast(int i, int rank) const;
  StatusOr<PartialShape> WithRankAtMost(int i, int rank) const;
  // Do the same for any shape.
  static StatusOr<PartialShape> WithRank(const PartialShape& s, int rank);
  static StatusOr<PartialShape> WithRankAtLeast(const PartialShape& s,
                                                int rank);
  static StatusOr<PartialShape> WithRankAtMost(const PartialShape& s, int rank);
  // Return the merged knowledge of two sizes or shapes that must be equal.
  static StatusOr<int64_t> MergeDims(int64_t a, int64_t b);
  static StatusOr<PartialShape> MergeShapes(const PartialShape& a,
                                            const PartialShape& b);
  // Returns the size if it is, or may be, `value`; INVALID_ARGUMENT "Dimension
  // must be 3 but is 4".
  static StatusOr<int64_t> WithValue(int64_t dim, int64_t value);
  // Returns the size of dimension d, which may count from the end (-1: last);
  // kUnknownDim if the rank is unknown or has no such dimension.
  static int64_t Dim(const PartialShape& s, int d);
  // Returns dimensions [begin, end), which may count from the end; by default
  // all from `begin` on. Unknown if the rank is.
  static StatusOr<PartialShape> Subshape(const PartialShape& s, int begin,
                                         int end = kMaxRank + 1);
  // Returns `s` with dimension d (which may count from the end) set to `size`.
  static StatusOr<PartialShape> ReplaceDim(const PartialShape& s, int d,
                                           int64_t size);
  // Return kUnknownDim if an operand is unknown; INVALID_ARGUMENT on overflow,
  // "Negative dimension size caused by subtracting 5 from 3", "Dimension size
  // must be evenly divisible by 3 but is 7".
  static StatusOr<int64_t> AddDims(int64_t a, int64_t b);
  static StatusOr<int64_t> SubtractDims(int64_t a, int64_t b);
  static StatusOr<int64_t> MultiplyDims(int64_t a, int64_t b);
  static StatusOr<int64_t> DivideDims(int64_t a, int64_t b);

  // Returns the value of input i if it is known while the graph is built,
  // otherwise null.
  const Tensor* input_value(int i) const {
    return InRange(inputs_, i) ? constant_(i) : nullptr;
  }
  // Returns input i (int32 or int64, rank 1, or a -1 scalar) as a shape; sizes
  // that are not known yet are unknown.
  StatusOr<PartialShape> ShapeFromInput(int i) const;
  // Does the same for a tensor that is never allocated, such as the dense form
  // of a sparse tensor: its number of elements may exceed int64.
  StatusOr<PartialShape> SizesFromInput(int i) const;
  // Returns input i (an int scalar) as a size; kUnknownDim if it is not known.
  // INVALID_ARGUMENT for negative values.
  StatusOr<int64_t> DimFromInput(int i) const;

  void set_output(int i, PartialShape shape) {
    if (InRange(outputs_, i))
      outputs_[static_cast<size_t>(i)] = std::move(shape);
  }
  const PartialShape& output(int i) const {
    return At(outputs_, i, no_input_.shape);
  }
  Status Return(PartialShape shape) {  // sets output 0
    set_output(0, std::move(shape));
    return OkStatus();
  }

  // The types and shapes of the variables behind resource handles.
  const std::vector<HandleShape>& input_handles(int i) const {
    return At(inputs_, i, no_input_).handles;
  }
  void set_output_handles(int i, std::vector<HandleShape> h) {
    if (InRange(output_handles_, i))
      output_handles_[static_cast<size_t>(i)] = std::move(h);
  }
  const std::vector<HandleShape>& output_handles(int i) const {
    return At(output_handles_, i, no_input_.handles);
  }

 private:
  template <class List>
  static bool InRange(const List& list, int i) {
    const bool ok = i >= 0 && static_cast<size_t>(i) < list.size();
    MR_DCHECK(ok, "a shape function reaches for number ", i, " of ",
              list.size());
    return ok;
  }
  template <class T>
  static const T& At(const std::vector<T>& list, int i, const T& otherwise) {
    return InRange(list, i) ? list[static_cast<size_t>(i)] : otherwise;
  }

  const std::string& node_name_;
  const OpDef& op_;
  const AttrMap& attrs_;
  int32_t producer_ = 0;
  std::vector<Input> inputs_;
  const Input no_input_;
  std::vector<PartialShape> outputs_;
  std::vector<std::vector<HandleShape>> output_handles_;
  ConstantFinder constant_;
  PartialFinder partial_;
};

// Shape functions that many ops share.
namespace shapes {
Status Unchanged(ShapeContext& c);  // output 0 as input 0, handles too
Status Scalar(ShapeContext& c);     // every output is a scalar
Status NoOutputs(ShapeContext& c);
Status Unknown(ShapeContext& c);
Status Broadcast(ShapeContext& c);  // output 0: inputs 0 and 1 broadcast
Status MergeAll(ShapeContext& c);   // all inputs and output 0 have one shape
// Output 0 has the facts that all inputs have in common, as where branches and
// loops meet. Sizes that differ are unknown; handles are kept if all agree.
Status Join(ShapeContext& c);
PartialShape JoinShapes(const PartialShape& a, const PartialShape& b);
// Returns an empty list, for nothing known, if numbers or types differ.
std::vector<HandleShape> JoinHandles(const std::vector<HandleShape>& a,
                                     const std::vector<HandleShape>& b);
// Returns the broadcast of two shapes; INVALID_ARGUMENT "Dimensions must be
// equal, but are A and B ...".
StatusOr<PartialShape> BroadcastShapes(const PartialShape& a,
                                       const PartialShape& b);
}  // namespace shapes

}  // namespace millrace
