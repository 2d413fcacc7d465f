#include "millrace/ops/queue/queue_batch.h"

#include <algorithm>
#include <cstring>

#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

int64_t RowElements(const Tensor& batch) {
  return batch.shape().NumElements(1, batch.rank());
}

TensorShape RowShape(const Tensor& batch) {
  DimVector dims = batch.shape().dims();
  dims.erase(dims.begin());
  return TensorShape(absl::MakeConstSpan(dims));
}

// Returns the shape of the elements of a run.
TensorShape ElementShape(const QueueRun& run, size_t part) {
  return run.single() ? run.parts[part].shape() : RowShape(run.parts[part]);
}

// Copies `count` elements; both tensors must have the same type.
Status CopyElements(const Tensor& from, int64_t from_begin, int64_t count,
                    Tensor& to, int64_t to_begin) {
  if (IsPlain(from.dtype())) {
    const size_t size = SizeOf(from.dtype());
    if (count > 0) {
      std::memcpy(to.mutable_data() + static_cast<size_t>(to_begin) * size,
                  from.data() + static_cast<size_t>(from_begin) * size,
                  static_cast<size_t>(count) * size);
    }
    return OkStatus();
  }
  return DispatchBySize(from.dtype(), [&]<class T>() {
    const T* source = reinterpret_cast<const T*>(from.data()) + from_begin;
    std::copy_n(source, count,
                reinterpret_cast<T*>(to.mutable_data()) + to_begin);
    return OkStatus();
  });
}

// Copies an element of shape `small` at `from_begin` to the corner of row `row`
// of `to`, line by line of the last dimension.
Status CopyPadded(const Tensor& from, int64_t from_begin,
                  const TensorShape& small, Tensor& to, int64_t row) {
  const int rank = small.rank();
  if (small.num_elements() == 0) return OkStatus();
  const int64_t row_elements = RowElements(to);
  const int64_t line = rank == 0 ? 1 : small.dim(rank - 1);
  DimVector at(static_cast<size_t>(rank), 0);
  for (int64_t done = 0; done < small.num_elements(); done += line) {
    int64_t offset = 0;
    for (int d = 0; d < rank; ++d) {
      offset = offset * to.dim(d + 1) + at[static_cast<size_t>(d)];
    }
    MR_RETURN_IF_ERROR(CopyElements(from, from_begin + done, line, to,
                                    row * row_elements + offset));
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < small.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
  return OkStatus();
}

StatusOr<TensorShape> LargestShape(absl::Span<const QueueRun> runs,
                                   size_t part) {
  DimVector largest = ElementShape(runs[0], part).dims();
  for (const QueueRun& run : runs) {
    const TensorShape shape = ElementShape(run, part);
    if (shape.rank() != static_cast<int>(largest.size())) {
      return Internal("elements of a queue differ in rank");
    }
    for (size_t d = 0; d < largest.size(); ++d) {
      largest[d] = std::max(largest[d], shape.dim(static_cast<int>(d)));
    }
  }
  return TensorShape::Make(largest);
}

StatusOr<Tensor> JoinPart(absl::Span<const QueueRun> runs, size_t part,
                          int64_t rows, Padding padding, Allocator* allocator) {
  const DataType type = runs[0].parts[part].dtype();
  TensorShape element = ElementShape(runs[0], part);
  if (padding == Padding::kZeros) {
    MR_ASSIGN_OR_RETURN(element, LargestShape(runs, part));
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, WithRows(rows, element));
  MR_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(allocator, type, std::move(shape)));
  if (padding == Padding::kZeros && IsPlain(type)) {
    std::memset(out.mutable_data(), 0, out.size_bytes());
  }
  const int64_t elements = element.num_elements();
  int64_t row = 0;
  for (const QueueRun& run : runs) {
    const Tensor& from = run.parts[part];
    const TensorShape shape_here = ElementShape(run, part);
    const int64_t here = shape_here.num_elements();
    if (padding == Padding::kNone || shape_here == element) {
      if (here != elements) {
        return Internal("elements of a queue differ in shape");
      }
      MR_RETURN_IF_ERROR(CopyElements(from, run.begin * here, run.size() * here,
                                      out, row * elements));
    } else {
      for (int64_t i = 0; i < run.size(); ++i) {
        MR_RETURN_IF_ERROR(
            CopyPadded(from, (run.begin + i) * here, shape_here, out, row + i));
      }
    }
    row += run.size();
  }
  return out;
}

}  // namespace

StatusOr<TensorShape> WithRows(int64_t rows, const TensorShape& shape) {
  DimVector dims = shape.dims();
  dims.insert(dims.begin(), rows);
  return TensorShape::Make(dims);
}

StatusOr<Tensor> CopyRow(const Tensor& batch, int64_t row,
                         Allocator* allocator) {
  MR_ASSIGN_OR_RETURN(
      Tensor out, Tensor::Allocate(allocator, batch.dtype(), RowShape(batch)));
  const int64_t elements = RowElements(batch);
  MR_RETURN_IF_ERROR(CopyElements(batch, row * elements, elements, out, 0));
  return out;
}

StatusOr<QueueTuple> ToElement(QueueRun run, Allocator* allocator) {
  if (run.single()) return std::move(run.parts);
  QueueTuple out;
  for (const Tensor& part : run.parts) {
    MR_ASSIGN_OR_RETURN(Tensor row, CopyRow(part, run.begin, allocator));
    out.push_back(std::move(row));
  }
  return out;
}

StatusOr<QueueTuple> ToBatch(absl::Span<const QueueRun> runs, int64_t rows,
                             Padding padding, Allocator* allocator) {
  if (runs.size() == 1 && !runs[0].single() && runs[0].begin == 0 &&
      runs[0].end == runs[0].parts[0].dim(0)) {
    return runs[0].parts;
  }
  QueueTuple out;
  for (size_t part = 0; part < runs[0].parts.size(); ++part) {
    MR_ASSIGN_OR_RETURN(Tensor joined,
                        JoinPart(runs, part, rows, padding, allocator));
    out.push_back(std::move(joined));
  }
  return out;
}

}  // namespace millrace::ops
