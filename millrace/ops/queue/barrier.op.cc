#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace::ops {
namespace {

// Row i of the values belongs to key i.
Status InsertShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c));
  MR_ASSIGN_OR_RETURN(const PartialShape keys, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(2, 1));
  return ShapeContext::MergeDims(
             keys.dim(0), values.known_rank() ? values.dim(0) : kUnknownDim)
      .status();
}

}  // namespace

MR_OP(Barrier){
    .outputs = "handle: Ref(string)",
    .attrs =
        "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; "
        "capacity: int = -1; container: string = ''; shared_name: string "
        "= ''",
    .flags = kStateful,
    .shape = HandleShape,
    .doc = "Tuples by key, whose components come one by one.",
};

MR_OP(BarrierInsertMany){
    .inputs = "handle: Ref(string), keys: string, values: T",
    .attrs = "T: type; component_index: int",
    .flags = kKeepsInputs,
    .shape = InsertShape,
    .doc = "Adds one component of the tuples of some keys.",
};

MR_OP(BarrierTakeMany){
    .inputs = "handle: Ref(string), num_elements: int32",
    .outputs = "indices: int64, keys: string, values: component_types",
    .attrs =
        "component_types: list(type) >= 1; allow_small_batch: bool = false; "
        "wait_for_incomplete: bool = false; timeout_ms: int = -1",
    .shape = shapes::Unknown,
    .doc = "Takes complete tuples as a batch; waits for them.",
};

MR_OP(BarrierClose){
    .inputs = "handle: Ref(string)",
    .attrs = "cancel_pending_enqueues: bool = false",
    .shape = ScalarsOfHandle,
    .doc = "No new keys come in.",
};

MR_OP(BarrierReadySize){
    .inputs = "handle: Ref(string)",
    .outputs = "size: int32",
    .shape = ScalarsOfHandle,
    .doc = "The number of complete tuples.",
};

MR_OP(BarrierIncompleteSize){
    .inputs = "handle: Ref(string)",
    .outputs = "size: int32",
    .shape = ScalarsOfHandle,
    .doc = "The number of tuples that have begun.",
};

}  // namespace millrace::ops
