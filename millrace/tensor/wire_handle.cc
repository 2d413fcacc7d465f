#include "millrace/tensor/wire_handle.h"

#include <algorithm>

#include "millrace/tensor/wire.h"
#include "millrace/tensor/wire_fields.h"

namespace millrace {
namespace {

// The field numbers of ResourceHandleProto.
constexpr uint32_t kDevice = 1;
constexpr uint32_t kContainer = 2;
constexpr uint32_t kName = 3;
constexpr uint32_t kHashCode = 4;
constexpr uint32_t kTypeName = 5;
constexpr uint32_t kDtypesAndShapes = 6;

Status MalformedHandle() {
  return InvalidArgument("malformed ResourceHandleProto");
}

StatusOr<ResourceHandle::DtypeAndShape> DecodeDtypeAndShape(ChunkReader in) {
  ResourceHandle::DtypeAndShape result;
  result.shape = PartialShape({});
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return MalformedHandle();
    if (tag.Is(1, WireType::kVarint)) {
      int number;
      if (!in.ReadInt(&number)) return MalformedHandle();
      if (number != 0) {
        MR_ASSIGN_OR_RETURN(result.dtype, CheckedDataType(number));
      }
    } else if (tag.Is(2, WireType::kBytes)) {
      ChunkReader shape;
      if (!in.ReadBytes(&shape)) return MalformedHandle();
      MR_ASSIGN_OR_RETURN(result.shape, DecodePartialShape(shape));
    } else if (!in.SkipField(tag)) {
      return MalformedHandle();
    }
  }
  return result;
}

size_t DtypeAndShapeSize(const ResourceHandle::DtypeAndShape& d) {
  return (d.dtype == DataType::kInvalid ? 0 : 2) +
         BytesFieldSize(EncodedShapeSize(d.shape));
}

size_t OptionalFieldSize(absl::string_view s) {
  return s.empty() ? 0 : BytesFieldSize(s.size());
}

}  // namespace

StatusOr<ResourceElement> DecodeHandle(ChunkReader in) {
  if (in.done()) return ResourceElement();
  auto handle = MakeRef<ResourceHandle>();
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return MalformedHandle();
    bool ok = true;
    if (tag.Is(kDevice, WireType::kBytes)) {
      ok = in.ReadString(&handle->device);
    } else if (tag.Is(kContainer, WireType::kBytes)) {
      ok = in.ReadString(&handle->container);
    } else if (tag.Is(kName, WireType::kBytes)) {
      ok = in.ReadString(&handle->name);
    } else if (tag.Is(kHashCode, WireType::kVarint)) {
      ok = in.ReadVarint(&handle->hash_code);
    } else if (tag.Is(kTypeName, WireType::kBytes)) {
      ok = in.ReadString(&handle->type_name);
    } else if (tag.Is(kDtypesAndShapes, WireType::kBytes)) {
      ChunkReader value;
      if (!in.ReadBytes(&value)) return MalformedHandle();
      MR_ASSIGN_OR_RETURN(ResourceHandle::DtypeAndShape d,
                          DecodeDtypeAndShape(value));
      handle->dtypes_and_shapes.push_back(std::move(d));
    } else {
      ok = in.SkipField(tag);
    }
    if (!ok) return MalformedHandle();
  }
  return handle;
}

StatusOr<Tensor> DecodeHandles(TensorShape shape, ChunkReader in,
                               Allocator* allocator) {
  MR_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(allocator, DataType::kResource, std::move(shape)));
  absl::Span<ResourceElement> out = tensor.mutable_flat<ResourceElement>();
  size_t count = 0;
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return InvalidArgument("malformed TensorProto");
    if (tag.Is(tensor_proto::kResourceVal, WireType::kBytes)) {
      ChunkReader value;
      if (!in.ReadBytes(&value))
        return InvalidArgument("malformed TensorProto");
      MR_ASSIGN_OR_RETURN(ResourceElement handle, DecodeHandle(value));
      if (count < out.size()) out[count++] = std::move(handle);
    } else if (!in.SkipField(tag)) {
      return InvalidArgument("malformed TensorProto");
    }
  }
  for (size_t i = std::max<size_t>(count, 1); i < out.size(); ++i)
    out[i] = out[i - 1];
  return tensor;
}

size_t EncodedHandleSize(const ResourceHandle* handle) {
  if (handle == nullptr) return 0;
  size_t size =
      OptionalFieldSize(handle->device) + OptionalFieldSize(handle->container) +
      OptionalFieldSize(handle->name) + OptionalFieldSize(handle->type_name);
  if (handle->hash_code != 0) size += 1 + VarintSize(handle->hash_code);
  for (const auto& d : handle->dtypes_and_shapes)
    size += BytesFieldSize(DtypeAndShapeSize(d));
  return size;
}

void EncodeHandle(const ResourceHandle* handle, ChunkWriter* out) {
  if (handle == nullptr) return;
  out->BytesField(kDevice, handle->device);
  out->BytesField(kContainer, handle->container);
  out->BytesField(kName, handle->name);
  out->VarintField(kHashCode, handle->hash_code);
  out->BytesField(kTypeName, handle->type_name);
  for (const auto& d : handle->dtypes_and_shapes) {
    out->BytesHeader(kDtypesAndShapes, DtypeAndShapeSize(d));
    out->VarintField(1, static_cast<uint64_t>(d.dtype));
    out->BytesHeader(2, EncodedShapeSize(d.shape));
    EncodeShape(d.shape, out);
  }
}

}  // namespace millrace
