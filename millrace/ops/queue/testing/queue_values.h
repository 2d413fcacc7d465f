// Queues of 64-bit integers, and their elements, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/ops/queue/queue.h"

namespace millrace::ops {

inline Queue::Options Int64s(QueueKind kind, int32_t capacity) {
  Queue::Options o;
  o.kind = kind;
  o.types = {DataType::kInt64};
  o.shapes = {PartialShape({})};
  o.capacity = capacity;
  if (kind == QueueKind::kRandomShuffle) {
    o.seed = 5;
    o.seed2 = 6;
  }
  return o;
}

inline QueueTuple One(int64_t v) { return {Tensor::Scalar<int64_t>(v)}; }
inline QueueTuple Many(int64_t begin, int64_t end) {
  std::vector<int64_t> values;
  for (int64_t v = begin; v < end; ++v) values.push_back(v);
  return {Tensor::Vector<int64_t>(absl::MakeConstSpan(values))};
}
inline std::vector<int64_t> Values(const QueueTuple& t) {
  const auto flat = t[0].flat<int64_t>();
  return {flat.begin(), flat.end()};
}

}  // namespace millrace::ops
