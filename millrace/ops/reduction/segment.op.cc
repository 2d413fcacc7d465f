#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kSegmentNumbers[] =
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, "
    "quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, "
    "uint32, uint64}; Tindices: {int32, int64}";
constexpr char kSegmentReal[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64}; Tindices: {int32, int64}";
constexpr char kUnsortedReal[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64}; Tindices: {int32, int64}; Tnumsegments: {int32, "
    "int64} = 'int32'";

Status SegmentShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(PartialShape data, c.WithRankAtLeast(0, 1));
  MR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  if (!data.known_rank()) return c.Return(PartialShape());
  data.set_dim(0, kUnknownDim);
  return c.Return(data);
}

// The data must begin with the dimensions of segment_ids.
Status UnsortedSegmentShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& ids = c.input(1);
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  if (!data.known_rank() || !ids.known_rank()) return c.Return(PartialShape());
  MR_RETURN_IF_ERROR(ShapeContext::WithRankAtLeast(data, ids.rank()).status());
  MR_RETURN_IF_ERROR(ShapeContext::MergeShapes(
                         PartialShape(data.dims().first(ids.rank())), ids)
                         .status());
  MR_ASSIGN_OR_RETURN(int64_t count, c.DimFromInput(2));
  PartialShape out{count};
  return c.Return(
      out.Concatenate(PartialShape(data.dims().subspan(ids.rank()))));
}

}  // namespace

MR_OP(SegmentSum){
    .inputs = "data: T, segment_ids: Tindices",
    .outputs = "output: T",
    .attrs = kSegmentNumbers,
    .shape = SegmentShape,
    .doc =
        "Sums of the rows of each segment; ids are sorted and may skip "
        "numbers.",
};

MR_OP(SegmentMean){
    .inputs = "data: T, segment_ids: Tindices",
    .outputs = "output: T",
    .attrs = kSegmentNumbers,
    .shape = SegmentShape,
    .doc =
        "Means of the rows of each segment; ids are sorted and may skip "
        "numbers.",
};

MR_OP(SegmentProd){
    .inputs = "data: T, segment_ids: Tindices",
    .outputs = "output: T",
    .attrs = kSegmentNumbers,
    .shape = SegmentShape,
    .doc =
        "Products of the rows of each segment; ids are sorted and may skip "
        "numbers.",
};

MR_OP(SegmentMin){
    .inputs = "data: T, segment_ids: Tindices",
    .outputs = "output: T",
    .attrs = kSegmentReal,
    .shape = SegmentShape,
    .doc =
        "Smallest elements of the rows of each segment; ids are sorted and may "
        "skip numbers.",
};

MR_OP(SegmentMax){
    .inputs = "data: T, segment_ids: Tindices",
    .outputs = "output: T",
    .attrs = kSegmentReal,
    .shape = SegmentShape,
    .doc =
        "Largest elements of the rows of each segment; ids are sorted and may "
        "skip numbers.",
};

MR_OP(UnsortedSegmentSum){
    .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
    .outputs = "output: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}; Tindices: {int16, int32, int64}; Tnumsegments: "
        "{int32, int64} = 'int32'",
    .shape = UnsortedSegmentShape,
    .doc =
        "Sums of the rows of each segment, in any order; negative ids are left "
        "out.",
};

MR_OP(UnsortedSegmentProd){
    .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
    .outputs = "output: T",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}; Tindices: {int32, int64}; Tnumsegments: "
        "{int32, int64} = 'int32'",
    .shape = UnsortedSegmentShape,
    .doc =
        "Products of the rows of each segment, in any order; negative ids are "
        "left out.",
};

MR_OP(UnsortedSegmentMin){
    .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
    .outputs = "output: T",
    .attrs = kUnsortedReal,
    .shape = UnsortedSegmentShape,
    .doc =
        "Smallest elements of the rows of each segment, in any order; negative "
        "ids are left out.",
};

MR_OP(UnsortedSegmentMax){
    .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
    .outputs = "output: T",
    .attrs = kUnsortedReal,
    .shape = UnsortedSegmentShape,
    .doc =
        "Largest elements of the rows of each segment, in any order; negative "
        "ids are left out.",
};

}  // namespace millrace::ops
