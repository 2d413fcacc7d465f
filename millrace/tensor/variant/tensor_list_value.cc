#include "millrace/tensor/variant/tensor_list_value.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "millrace/tensor/wire.h"

namespace millrace {
namespace {

Status MalformedList() {
  return InvalidArgument("malformed metadata of a TensorList");
}

}  // namespace

// The metadata: the number of elements that are not set, their indices, the
// type of elements, the largest number of elements, all as varints, and the
// shape of elements as a TensorShapeProto.
bool TensorListValue::ToWire(VariantContent* content) const {
  ChunkWriter out;
  out.Varint(static_cast<uint64_t>(
      std::count_if(tensors_.begin(), tensors_.end(),
                    [](const Tensor& t) { return !t.valid(); })));
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i].valid()) out.Varint(i);
  }
  out.Varint(static_cast<uint64_t>(element_dtype));
  out.Varint(static_cast<uint64_t>(int64_t{max_num_elements}));
  EncodeShape(element_shape, &out);
  content->metadata = std::move(out).Finish().Flatten();
  content->tensors = tensors_;
  return true;
}

StatusOr<Ref<VariantValue>> TensorListValue::FromWire(DecodedVariant in) {
  ChunkReader& at = in.metadata;
  uint64_t unset, skipped, type, most;
  if (!at.ReadVarint(&unset) || unset > at.remaining()) return MalformedList();
  const ChunkReader indices = at;
  for (uint64_t i = 0; i < unset; ++i) {
    if (!at.ReadVarint(&skipped)) return MalformedList();
  }
  if (!at.ReadVarint(&type) || !at.ReadVarint(&most)) return MalformedList();
  constexpr uint64_t kMaxInt = std::numeric_limits<int>::max();
  MR_ASSIGN_OR_RETURN(
      const DataType dtype,
      CheckedDataType(static_cast<int>(std::min(type, kMaxInt))));
  MR_ASSIGN_OR_RETURN(PartialShape shape, DecodePartialShape(at));
  for (const Tensor& t : in.tensors) {
    if (t.dtype() == dtype) continue;
    return InvalidArgument("a TensorList has an element of another type: ",
                           DataTypeName(t.dtype()), " in a list of ",
                           DataTypeName(dtype));
  }
  auto made = MakeRef<TensorListValue>(dtype, std::move(shape));
  made->max_num_elements = static_cast<int32_t>(most);
  if (unset == 0) {
    made->tensors_ = std::move(in.tensors);
    made->charge_ = std::move(in.charge);
  } else {
    MR_RETURN_IF_ERROR(made->Spread(indices, unset, std::move(in.tensors)));
  }
  return Ref<VariantValue>(std::move(made));
}

Status TensorListValue::Spread(ChunkReader indices, uint64_t unset,
                               std::vector<Tensor> values) {
  MR_RETURN_IF_ERROR(Resize(static_cast<int64_t>(values.size() + unset)));
  size_t taken = 0, to = 0;
  for (uint64_t i = 0; i < unset; ++i) {
    // The indices ascend, and none lies beyond the values before it.
    uint64_t index;
    if (!indices.ReadVarint(&index) || index < to ||
        index - i > values.size()) {
      return MalformedList();
    }
    while (to < index) tensors_[to++] = std::move(values[taken++]);
    ++to;
  }
  while (taken < values.size()) tensors_[to++] = std::move(values[taken++]);
  return OkStatus();
}

Status TensorListValue::CheckSum(const VariantValue& other) const {
  if (other.type_name() != kTypeName) {
    return InvalidArgument("Trying to add a list of tensors and a variant of ",
                           "type ", other.type_name());
  }
  const auto& b = static_cast<const TensorListValue&>(other);
  if (element_dtype != b.element_dtype) {
    return InvalidArgument(
        "Trying to add two lists of tensors of different dtypes. One is ",
        DataTypeName(element_dtype), " and the other is ",
        DataTypeName(b.element_dtype));
  }
  if (!element_shape.IsCompatibleWith(b.element_shape)) {
    return InvalidArgument(
        "Trying to add two lists of tensors with incompatible element shapes. "
        "One is ",
        element_shape.DebugString(), " and the other is ",
        b.element_shape.DebugString());
  }
  if (size() != b.size()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with different lengths. One is ",
        size(), " and the other is ", b.size());
  }
  return element_shape.Merge(b.element_shape).status();
}

StatusOr<Ref<VariantValue>> TensorListValue::With(
    std::vector<Tensor> parts, const CompoundVariant* other) const {
  PartialShape shape = element_shape;
  if (other != nullptr) {
    const auto& list = static_cast<const TensorListValue&>(*other);
    MR_ASSIGN_OR_RETURN(shape, shape.Merge(list.element_shape));
  }
  auto made = MakeRef<TensorListValue>(element_dtype, std::move(shape));
  MR_RETURN_IF_ERROR(made->Resize(size()));
  made->tensors_ = std::move(parts);
  return Ref<VariantValue>(std::move(made));
}

Status TensorListValue::Resize(int64_t size) {
  if (size > static_cast<int64_t>(tensors_.capacity())) {
    // Doubles the capacity, so that pushing elements one by one is cheap.
    const int64_t room =
        std::max(size, 2 * static_cast<int64_t>(tensors_.size()));
    MR_RETURN_IF_ERROR(charge_.Set(room * static_cast<int64_t>(sizeof(Tensor)),
                                   "the elements of a TensorList"));
    tensors_.reserve(static_cast<size_t>(room));
  }
  tensors_.resize(static_cast<size_t>(size));
  return OkStatus();
}

Status TensorListValue::Push(Tensor value) {
  MR_RETURN_IF_ERROR(Resize(size() + 1));
  tensors_.back() = std::move(value);
  return OkStatus();
}

Tensor TensorListValue::Pop() {
  Tensor value = std::move(tensors_.back());
  tensors_.pop_back();
  return value;
}

StatusOr<Ref<TensorListValue>> TensorListValue::Copy() const {
  auto copy = MakeRef<TensorListValue>(element_dtype, element_shape);
  copy->max_num_elements = max_num_elements;
  MR_RETURN_IF_ERROR(copy->Resize(size()));
  copy->tensors_ = tensors_;
  return copy;
}

}  // namespace millrace
