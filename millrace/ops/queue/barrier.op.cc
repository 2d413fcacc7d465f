#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace {
namespace {

// Row i of the values belongs to key i.
Status InsertShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c));
  MR_ASSIGN(const PartialShape keys, c.WithRank(1, 1));
  MR_ASSIGN(const PartialShape values, c.WithRankAtLeast(2, 1));
  return ShapeContext::MergeDims(
             keys.dim(0), values.known_rank() ? values.dim(0) : kUnknownDim)
      .status();
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_USES_BARRIER(ins, outs, attributes, function, text)                 \
  {                                                                            \
    .inputs = "handle: Ref(string)" ins, .outputs = outs, .attrs = attributes, \
    .shape = function, .doc = text,                                            \
  }

MR_OP(Barrier){
    .outputs = "handle: Ref(string)",
    .attrs =
        "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; "
        "capacity: int = -1; container: string = ''; shared_name: string "
        "= ''",
    .flags = kStateful,
    .shape = ops::HandleShape,
    .doc = "Tuples by key, whose components come one by one.",
};
MR_OP(BarrierInsertMany)
MR_USES_BARRIER(", keys: string, values: T", "",
                "T: type; component_index: int", InsertShape,
                "Adds one component of the tuples of some keys.");
MR_OP(BarrierTakeMany)
MR_USES_BARRIER(", num_elements: int32",
                "indices: int64, keys: string, values: component_types",
                "component_types: list(type) >= 1; allow_small_batch: bool = "
                "false; wait_for_incomplete: bool = false; timeout_ms: int = "
                "-1",
                shapes::Unknown,
                "Takes complete tuples as a batch; waits for them.");
MR_OP(BarrierClose)
MR_USES_BARRIER("", "", "cancel_pending_enqueues: bool = false",
                ops::ScalarsOfHandle, "No new keys come in.");
MR_OP(BarrierReadySize)
MR_USES_BARRIER("", "size: int32", "", ops::ScalarsOfHandle,
                "The number of complete tuples.");
MR_OP(BarrierIncompleteSize)
MR_USES_BARRIER("", "size: int32", "", ops::ScalarsOfHandle,
                "The number of tuples that have begun.");

}  // namespace millrace::ops
