// Schemas of diagonals of batches of matrices. Diagonal k lies above the main
// one, or below it if k is negative; a pair (low, high) names several.
#include <algorithm>

#include "millrace/graph/shape_context.h"
#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {
namespace {

struct DiagRange {
  bool known = false;
  int64_t low = 0, high = 0;
};

StatusOr<DiagRange> ReadDiagRange(ShapeContext& c, int input) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(input, 1).status());
  const Tensor* k = c.input_value(input);
  if (!k) return DiagRange();
  const int64_t n = k->num_elements();
  if (n < 1 || n > 2) {
    return InvalidArgument(
        "diag_index must be a vector with one or two elements. It has ", n,
        " elements.");
  }
  DiagRange range{.known = true, .low = IntAt(*k, 0), .high = IntAt(*k, n - 1)};
  if (range.low > range.high) {
    return InvalidArgument("lower_diag_index is greater than upper_diag_index");
  }
  return range;
}

Status CheckInMatrix(int64_t rows, int64_t cols, int64_t k, const char* what) {
  if (k == 0) return OkStatus();
  if ((rows != kUnknownDim && k <= -rows) ||
      (cols != kUnknownDim && k >= cols)) {
    return InvalidArgument(what, " is out of bound: ", k);
  }
  return OkStatus();
}

Status DiagPartShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 2));
  if (!input.known_rank()) return c.Return(PartialShape());
  MR_ASSIGN_OR_RETURN(PartialShape shape, ShapeContext::Subshape(input, 0, -2));
  const int64_t rows = ShapeContext::Dim(input, -2);
  const int64_t cols = ShapeContext::Dim(input, -1);
  const int64_t size = rows == kUnknownDim || cols == kUnknownDim
                           ? kUnknownDim
                           : std::min(rows, cols);
  return c.Return(shape.Concatenate(PartialShape({size})));
}

// Returns the shape of the diagonals k of `input`. Requires a known range and
// rank.
StatusOr<PartialShape> PartShape(const PartialShape& input,
                                 const DiagRange& k) {
  const int64_t rows = ShapeContext::Dim(input, -2);
  const int64_t cols = ShapeContext::Dim(input, -1);
  MR_RETURN_IF_ERROR(CheckInMatrix(rows, cols, k.low, "lower_diag_index"));
  MR_RETURN_IF_ERROR(CheckInMatrix(rows, cols, k.high, "upper_diag_index"));
  MR_ASSIGN_OR_RETURN(PartialShape shape, ShapeContext::Subshape(input, 0, -2));
  if (k.low != k.high) {
    shape = shape.Concatenate(PartialShape({k.high - k.low + 1}));
  }
  int64_t size = kUnknownDim;
  if (rows != kUnknownDim && cols != kUnknownDim) {
    size = std::min(rows + std::min<int64_t>(k.high, 0),
                    cols - std::max<int64_t>(k.low, 0));
  }
  return shape.Concatenate(PartialShape({size}));
}

Status DiagPartV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 2));
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_ASSIGN_OR_RETURN(const DiagRange k, ReadDiagRange(c, 1));
  if (!k.known || !input.known_rank()) return c.Return(PartialShape());
  MR_ASSIGN_OR_RETURN(PartialShape shape, PartShape(input, k));
  return c.Return(std::move(shape));
}

Status DiagShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape diagonal, c.WithRankAtLeast(0, 1));
  if (!diagonal.known_rank()) return c.Return(PartialShape());
  return c.Return(
      diagonal.Concatenate(PartialShape({ShapeContext::Dim(diagonal, -1)})));
}

StatusOr<int64_t> SizeInput(ShapeContext& c, int i) {
  MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  const Tensor* value = c.input_value(i);
  return value ? IntAt(*value, 0) : kUnknownDim;
}

Status DiagV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(const PartialShape diagonal, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(c.WithRank(4, 0).status());
  MR_ASSIGN_OR_RETURN(const DiagRange k, ReadDiagRange(c, 1));
  MR_ASSIGN_OR_RETURN(int64_t rows, SizeInput(c, 2));
  MR_ASSIGN_OR_RETURN(int64_t cols, SizeInput(c, 3));
  if (!k.known || !diagonal.known_rank()) return c.Return(PartialShape());
  int batch_rank = diagonal.rank() - 1;
  if (k.low < k.high) {
    batch_rank = diagonal.rank() - 2;
    if (batch_rank < 0) {
      return InvalidArgument("diagonal must be at least 2-dim, got shape: ",
                             diagonal.DebugString());
    }
    MR_RETURN_IF_ERROR(
        WithValue(diagonal.dim(batch_rank), k.high - k.low + 1).status());
  }
  const int64_t length = ShapeContext::Dim(diagonal, -1);
  MR_ASSIGN_OR_RETURN(const PartialShape batch,
                      ShapeContext::Subshape(diagonal, 0, batch_rank));
  if (length != kUnknownDim) {
    const int64_t min_rows = length - std::min<int64_t>(k.high, 0);
    const int64_t min_cols = length + std::max<int64_t>(k.low, 0);
    if (rows == kUnknownDim && cols == kUnknownDim) {
      rows = cols = std::max(min_rows, min_cols);
    } else if (rows == kUnknownDim) {
      if (cols < min_cols) return InvalidArgument("num_cols is too small.");
      rows = min_rows;
    } else if (cols == kUnknownDim) {
      if (rows < min_rows) return InvalidArgument("num_rows is too small.");
      cols = min_cols;
    }
    if (rows != kUnknownDim && cols != kUnknownDim && rows != min_rows &&
        cols != min_cols) {
      return InvalidArgument(
          "num_rows and num_cols are not consistent with lower_diag_index, "
          "upper_diag_index, and the length of the given diagonals.");
    }
  }
  return c.Return(batch.Concatenate(PartialShape({rows, cols})));
}

Status SetDiagShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape input, c.WithRankAtLeast(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape diagonal, c.WithRankAtLeast(1, 1));
  if (input.known_rank()) {
    const int64_t rows = ShapeContext::Dim(input, -2);
    const int64_t cols = ShapeContext::Dim(input, -1);
    MR_ASSIGN_OR_RETURN(const PartialShape batch,
                        ShapeContext::Subshape(input, 0, -2));
    const int64_t size = rows == kUnknownDim || cols == kUnknownDim
                             ? kUnknownDim
                             : std::min(rows, cols);
    MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(
                           diagonal, batch.Concatenate(PartialShape({size})))
                           .status());
  }
  return c.Return(std::move(input));
}

Status SetDiagV2Shape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape input, c.WithRankAtLeast(0, 2));
  MR_ASSIGN_OR_RETURN(const PartialShape diagonal, c.WithRankAtLeast(1, 1));
  MR_ASSIGN_OR_RETURN(const DiagRange k, ReadDiagRange(c, 2));
  if (input.known_rank() && k.known) {
    MR_ASSIGN_OR_RETURN(const PartialShape want, PartShape(input, k));
    MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(diagonal, want).status());
  }
  return c.Return(std::move(input));
}

}  // namespace

MR_OP(MatrixDiag){
    .inputs = "diagonal: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = DiagShape,
    .doc =
        "Matrices with the given rows on their main diagonal, zero elsewhere.",
};
MR_OP(MatrixDiagV2){
    .inputs =
        "diagonal: T, k: int32, num_rows: int32, num_cols: int32, "
        "padding_value: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = DiagV2Shape,
    .doc = "MatrixDiagV3 with diagonals aligned to the left.",
};
MR_OP(MatrixDiagV3){
    .inputs =
        "diagonal: T, k: int32, num_rows: int32, num_cols: int32, "
        "padding_value: T",
    .outputs = "output: T",
    .attrs =
        "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', "
        "'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
    .shape = DiagV2Shape,
    .doc =
        "Matrices of a given size with diagonals k on them, padding_value "
        "elsewhere.",
};
MR_OP(MatrixDiagPart){
    .inputs = "input: T",
    .outputs = "diagonal: T",
    .attrs = "T: type",
    .shape = DiagPartShape,
    .doc = "The main diagonals of matrices.",
};
MR_OP(MatrixDiagPartV2){
    .inputs = "input: T, k: int32, padding_value: T",
    .outputs = "diagonal: T",
    .attrs = "T: type",
    .shape = DiagPartV2Shape,
    .doc = "MatrixDiagPartV3 with diagonals aligned to the left.",
};
MR_OP(MatrixDiagPartV3){
    .inputs = "input: T, k: int32, padding_value: T",
    .outputs = "diagonal: T",
    .attrs =
        "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', "
        "'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
    .shape = DiagPartV2Shape,
    .doc = "The diagonals k of matrices, padded to one length.",
};
MR_OP(MatrixSetDiag){
    .inputs = "input: T, diagonal: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = SetDiagShape,
    .doc = "The matrices with other main diagonals.",
};
MR_OP(MatrixSetDiagV2){
    .inputs = "input: T, diagonal: T, k: int32",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = SetDiagV2Shape,
    .doc = "MatrixSetDiagV3 with diagonals aligned to the left.",
};
MR_OP(MatrixSetDiagV3){
    .inputs = "input: T, diagonal: T, k: int32",
    .outputs = "output: T",
    .attrs =
        "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', "
        "'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
    .shape = SetDiagV2Shape,
    .doc = "The matrices with other diagonals k.",
};
MR_OP(BatchMatrixDiag){
    .inputs = "diagonal: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = DiagShape,
    .doc = "MatrixDiag under its old name.",
    .deprecated_version = 14,
    .deprecated_hint = "Use MatrixDiag",
};
MR_OP(BatchMatrixDiagPart){
    .inputs = "input: T",
    .outputs = "diagonal: T",
    .attrs = "T: type",
    .shape = DiagPartShape,
    .doc = "MatrixDiagPart under its old name.",
    .deprecated_version = 14,
    .deprecated_hint = "Use MatrixDiagPart",
};
MR_OP(BatchMatrixSetDiag){
    .inputs = "input: T, diagonal: T",
    .outputs = "output: T",
    .attrs = "T: type",
    .shape = SetDiagShape,
    .doc = "MatrixSetDiag under its old name.",
    .deprecated_version = 14,
    .deprecated_hint = "Use MatrixSetDiag",
};

}  // namespace millrace::ops
