"""All names of queues, accumulators, barriers and staging areas in one module, as programs import them."""

from millrace.ops.data_flow.accumulators import (
  ConditionalAccumulator,
  ConditionalAccumulatorBase,
  SparseConditionalAccumulator,
)
from millrace.ops.data_flow.barrier import Barrier
from millrace.ops.data_flow.map_staging import MapStagingArea
from millrace.ops.data_flow.queue_kinds import FIFOQueue, PaddingFIFOQueue, PriorityQueue, RandomShuffleQueue
from millrace.ops.data_flow.queues import QueueBase
from millrace.ops.data_flow.record_input import RecordInput
from millrace.ops.data_flow.staging import BaseStagingArea, StagingArea

__all__ = [
  "Barrier",
  "BaseStagingArea",
  "ConditionalAccumulator",
  "ConditionalAccumulatorBase",
  "FIFOQueue",
  "MapStagingArea",
  "PaddingFIFOQueue",
  "PriorityQueue",
  "QueueBase",
  "RandomShuffleQueue",
  "RecordInput",
  "SparseConditionalAccumulator",
  "StagingArea",
]
