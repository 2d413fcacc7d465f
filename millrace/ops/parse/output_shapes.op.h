// The shapes of the tensors that parsers of examples make.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "millrace/ops/parse/example_attrs.op.h"

namespace millrace::ops {

// Sets the shapes of outputs one after the other.
class OutputShapes {
 public:
  explicit OutputShapes(ShapeContext& c) : c_(c) {}

  // Sets the shapes of n sparse features. `examples` is the shape of the input;
  // a list adds a dimension of rows.
  void Sparse(size_t n, const PartialShape& examples, int more) {
    const int64_t rank =
        examples.known_rank() ? examples.rank() + more : kUnknownDim;
    Repeat(n, PartialShape({kUnknownDim, rank}));
    Repeat(n, PartialShape({kUnknownDim}));
    Repeat(n, PartialShape({rank}));
  }
  void Dense(const std::vector<DenseSpec>& specs, const PartialShape& prefix) {
    for (const DenseSpec& spec : specs) {
      Next(prefix.known_rank() ? prefix.Concatenate(spec.shape)
                               : PartialShape());
    }
  }
  // Sets the shapes of values and row splits.
  Status Ragged(size_t n, int64_t examples) {
    MR_ASSIGN_OR_RETURN(const int64_t splits,
                        ShapeContext::AddDims(examples, 1));
    Repeat(n, PartialShape({kUnknownDim}));
    Repeat(n, PartialShape({splits}));
    return OkStatus();
  }
  void Repeat(size_t n, const PartialShape& shape) {
    for (size_t i = 0; i < n; ++i) Next(shape);
  }

 private:
  void Next(PartialShape shape) { c_.set_output(next_++, std::move(shape)); }

  ShapeContext& c_;
  int next_ = 0;
};

// Returns the number of examples in an input of this shape, if it is known.
inline int64_t NumExamples(const PartialShape& examples) {
  return examples.known_rank() && examples.rank() == 1 ? examples.dim(0)
                                                       : kUnknownDim;
}

}  // namespace millrace::ops
