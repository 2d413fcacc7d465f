#include "millrace/tensor/wire.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_join.h"
#include "millrace/tensor/bool_bytes.h"
#include "millrace/tensor/string_block.h"
#include "millrace/tensor/wire_fields.h"
#include "millrace/tensor/wire_handle.h"
#include "millrace/tensor/wire_variant.h"

namespace millrace {
namespace {

Status Malformed() { return InvalidArgument("malformed TensorProto"); }

// The result of a first pass over the message; a second one reads the values,
// since their type may come after them.
struct Outline {
  int dtype = 0;
  DimVector dims;
  ChunkReader content;
  bool has_content = false;
};

// Appends the sizes of a TensorShapeProto; absent ones are 0.
Status ReadDims(ChunkReader in, DimVector* dims, bool* unknown_rank) {
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return InvalidArgument("malformed TensorShapeProto");
    if (tag.Is(2, WireType::kBytes)) {
      ChunkReader dim;
      if (!in.ReadBytes(&dim))
        return InvalidArgument("malformed TensorShapeProto");
      int64_t size = 0;
      while (!dim.done()) {
        FieldTag t;
        if (!dim.ReadTag(&t) ||
            !(t.Is(1, WireType::kVarint) ? dim.ReadInt(&size)
                                         : dim.SkipField(t))) {
          return InvalidArgument("malformed TensorShapeProto");
        }
      }
      if (dims->size() == kMaxRank) {
        return InvalidArgument("Too many dimensions in tensor shape; at most ",
                               kMaxRank, " are allowed");
      }
      dims->push_back(size);
    } else if (tag.Is(3, WireType::kVarint)) {
      if (!in.ReadBool(unknown_rank))
        return InvalidArgument("malformed TensorShapeProto");
    } else if (!in.SkipField(tag)) {
      return InvalidArgument("malformed TensorShapeProto");
    }
  }
  return OkStatus();
}

Status ReadOutline(ChunkReader in, Outline* outline) {
  bool unknown_rank = false;
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return Malformed();
    if (tag.Is(tensor_proto::kDtype, WireType::kVarint)) {
      if (!in.ReadInt(&outline->dtype)) return Malformed();
    } else if (tag.Is(tensor_proto::kShape, WireType::kBytes)) {
      ChunkReader shape;
      if (!in.ReadBytes(&shape)) return Malformed();
      MR_RETURN_IF_ERROR(ReadDims(shape, &outline->dims, &unknown_rank));
    } else if (tag.Is(tensor_proto::kContent, WireType::kBytes)) {
      if (!in.ReadBytes(&outline->content)) return Malformed();
      outline->has_content = !outline->content.done();
    } else if (!in.SkipField(tag)) {
      return Malformed();
    }
  }
  if (unknown_rank) return InvalidArgument("a tensor needs a known shape");
  return OkStatus();
}

// Calls `put` for each value of a repeated field, packed or not. `read` takes
// one value of wire type kType from a cursor.
template <WireType kType, class Read, class Put>
Status ForEachValue(ChunkReader in, uint32_t field, Read read, Put put) {
  while (!in.done()) {
    FieldTag tag;
    if (!in.ReadTag(&tag)) return Malformed();
    if (tag.Is(field, kType)) {
      if (!read(&in, put)) return Malformed();
    } else if (tag.Is(field, WireType::kBytes)) {
      ChunkReader packed;
      if (!in.ReadBytes(&packed)) return Malformed();
      while (!packed.done()) {
        if (!read(&packed, put)) return Malformed();
      }
    } else if (!in.SkipField(tag)) {
      return Malformed();
    }
  }
  return OkStatus();
}

// Repeats the last of `count` given values, in groups of `unit`, up to `n`;
// without values the rest is zeros. Values beyond `n` are ignored, as in stock
// TensorFlow.
template <class T>
Status FillRest(T* out, int64_t n, int64_t count, int64_t unit,
                absl::string_view field) {
  if (count % unit != 0) {
    return InvalidArgument(
        field, " of a complex tensor has an odd number of values: ", count);
  }
  if (count == 0) {
    std::memset(out, 0, static_cast<size_t>(n) * sizeof(T));
    return OkStatus();
  }
  for (int64_t i = count; i < n; ++i) out[i] = out[i - unit];
  return OkStatus();
}

// Reads values that are varints on the wire. T is the element type of the
// tensor.
template <class T>
Status ReadVarints(ChunkReader in, uint32_t field, Tensor* tensor) {
  T* out = reinterpret_cast<T*>(tensor->mutable_data());
  const int64_t n = tensor->num_elements();
  int64_t count = 0;
  MR_RETURN_IF_ERROR(ForEachValue<WireType::kVarint>(
      in, field,
      [](ChunkReader* r, auto& put) {
        uint64_t v;
        if (!r->ReadVarint(&v)) return false;
        put(v);
        return true;
      },
      [&](uint64_t v) {
        if (count < n) out[count++] = static_cast<T>(v);
      }));
  return FillRest(out, n, count, 1, "");
}

// Reads values of 4 or 8 bytes, which have the same form in memory; unit is 2
// for complex numbers.
template <class T, WireType kType>
Status ReadFixed(ChunkReader in, uint32_t field, int unit,
                 absl::string_view name, Tensor* tensor) {
  T* out = reinterpret_cast<T*>(tensor->mutable_data());
  const int64_t n = tensor->num_elements() * unit;
  int64_t count = 0;
  MR_RETURN_IF_ERROR(ForEachValue<kType>(
      in, field,
      [](ChunkReader* r, auto& put) {
        if (r->remaining() < sizeof(T)) return false;
        T v;
        r->CopyTo(reinterpret_cast<char*>(&v), sizeof(T));
        put(v);
        return true;
      },
      [&](T v) {
        if (count < n) out[count] = v;
        ++count;
      }));
  return FillRest(out, n, count, unit, name);
}

Status ReadTypedValues(ChunkReader in, Tensor* tensor) {
  switch (tensor->dtype()) {
    case DataType::kFloat:
      return ReadFixed<uint32_t, WireType::kFixed32>(in, 5, 1, "float_val",
                                                     tensor);
    case DataType::kDouble:
      return ReadFixed<uint64_t, WireType::kFixed64>(in, 6, 1, "double_val",
                                                     tensor);
    case DataType::kComplex64:
      return ReadFixed<uint32_t, WireType::kFixed32>(in, 9, 2, "scomplex_val",
                                                     tensor);
    case DataType::kComplex128:
      return ReadFixed<uint64_t, WireType::kFixed64>(in, 12, 2, "dcomplex_val",
                                                     tensor);
    case DataType::kInt32:
    case DataType::kQint32:
      return ReadVarints<uint32_t>(in, 7, tensor);
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kQint16:
    case DataType::kQuint16:
      return ReadVarints<uint16_t>(in, 7, tensor);
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kQint8:
    case DataType::kQuint8:
      return ReadVarints<uint8_t>(in, 7, tensor);
    case DataType::kInt64:
      return ReadVarints<uint64_t>(in, 10, tensor);
    case DataType::kBool:
      return ReadVarints<bool>(in, 11, tensor);
    case DataType::kHalf:
    case DataType::kBfloat16:
      return ReadVarints<uint16_t>(in, 13, tensor);
    case DataType::kUint32:
      return ReadVarints<uint32_t>(in, 16, tensor);
    case DataType::kUint64:
      return ReadVarints<uint64_t>(in, 17, tensor);
    default:
      return InvalidArgument("no typed field holds ",
                             DataTypeName(tensor->dtype()), " values");
  }
}

// Returns true if a tensor may point into the bytes instead of copying them.
bool CanAlias(absl::string_view bytes, const Buffer* owner, DataType type) {
  if (owner == nullptr || bytes.size() < kMinAliasBytes) return false;
  // A small piece must not keep a large message alive.
  if (bytes.size() < owner->size_bytes() / 8) return false;
  const size_t alignment = IsComplex(type) ? SizeOf(type) / 2 : SizeOf(type);
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0;
}

StatusOr<Tensor> ReadPlainContent(DataType type, TensorShape shape,
                                  ChunkReader content, Allocator* allocator) {
  int64_t size;
  if (__builtin_mul_overflow(shape.num_elements(),
                             static_cast<int64_t>(SizeOf(type)), &size) ||
      static_cast<size_t>(size) != content.remaining()) {
    return InvalidArgument("tensor_content has ", content.remaining(),
                           " bytes; shape ", shape.DebugString(), " of ",
                           DataTypeName(type), " needs ", SizeOf(type),
                           " an element");
  }
  const absl::string_view bytes = content.ContiguousRest();
  // A kernel must not see a bool other than 0 and 1.
  const bool clean = type != DataType::kBool ||
                     std::all_of(bytes.begin(), bytes.end(),
                                 [](char c) { return (c & ~1) == 0; });
  if (!bytes.empty() && clean && CanAlias(bytes, content.owner(), type)) {
    return Tensor::FromBuffer(type, std::move(shape),
                              Ref<Buffer>::Share(content.owner()),
                              const_cast<char*>(bytes.data()));
  }
  MR_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(allocator, type, std::move(shape)));
  content.CopyTo(tensor.mutable_data(), static_cast<size_t>(size));
  CleanBools(type, tensor.mutable_data(), static_cast<size_t>(size));
  return tensor;
}

StatusOr<Tensor> ReadStringContent(TensorShape shape, ChunkReader content,
                                   Allocator* allocator) {
  const auto lies = [&] {
    return InvalidArgument(
        "tensor_content of a string tensor does not fit shape ",
        shape.DebugString());
  };
  const int64_t n = shape.num_elements();
  if (static_cast<uint64_t>(n) > content.remaining()) return lies();
  ChunkReader lengths = content;
  uint64_t total = 0, outside = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t length;
    if (!content.ReadVarint(&length) ||
        __builtin_add_overflow(total, length, &total)) {
      return lies();
    }
    outside += StringBlock::BytesOf(length);
  }
  if (total != content.remaining()) return lies();
  const absl::string_view bytes = content.ContiguousRest();
  const bool alias =
      outside > 0 && CanAlias(bytes, content.owner(), DataType::kUint8);
  MR_ASSIGN_OR_RETURN(StringBlock block,
                      StringBlock::Allocate(allocator, n, alias ? 0 : outside));
  if (alias) block.Keep(Ref<Buffer>::Share(content.owner()));
  const char* at = bytes.data();
  for (int64_t i = 0; i < n; ++i) {
    uint64_t length;
    if (!lengths.ReadVarint(&length)) return lies();
    if (alias) {
      block.View(i, {at, length});
      at += length;
    } else {
      block.Fill(i, length, [&](char* to) { content.CopyTo(to, length); });
    }
  }
  return std::move(block).Finish(std::move(shape));
}

StatusOr<Tensor> ReadStringValues(TensorShape shape, ChunkReader in,
                                  Allocator* allocator) {
  const int64_t n = shape.num_elements();
  // Calls `f` for each of the first n values.
  const auto each = [n](ChunkReader r, auto f) {
    int64_t count = 0;
    while (!r.done() && count < n) {
      FieldTag tag;
      ChunkReader value;
      if (!r.ReadTag(&tag)) return;
      if (!tag.Is(tensor_proto::kStringVal, WireType::kBytes)) {
        r.SkipField(tag);  // the outline has checked it
      } else if (r.ReadBytes(&value)) {
        f(count++, value);
      }
    }
  };
  int64_t count = 0;
  size_t total = 0;
  each(in, [&](int64_t i, const ChunkReader& value) {
    count = i + 1;
    total += StringBlock::BytesOf(value.remaining());
  });
  MR_ASSIGN_OR_RETURN(StringBlock block,
                      StringBlock::Allocate(allocator, n, total));
  each(in, [&](int64_t i, ChunkReader value) {
    const size_t length = value.remaining();
    block.Fill(i, length, [&](char* to) { value.CopyTo(to, length); });
  });
  for (int64_t i = std::max<int64_t>(count, 1); i < n; ++i) {
    block.View(i, block.at(i - 1));
  }
  return std::move(block).Finish(std::move(shape));
}

// Reads handles from tensor_content: encoded as the texts of a string tensor.
StatusOr<Tensor> ReadHandleContent(TensorShape shape, ChunkReader content,
                                   Allocator* allocator) {
  MR_ASSIGN_OR_RETURN(const Tensor texts,
                      ReadStringContent(shape, content, allocator));
  MR_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(allocator, DataType::kResource, std::move(shape)));
  const auto from = texts.flat<StringElement>();
  const auto to = tensor.mutable_flat<ResourceElement>();
  for (size_t i = 0; i < to.size(); ++i) {
    MR_ASSIGN_OR_RETURN(to[i], DecodeHandle(ChunkReader(from[i].view())));
  }
  return tensor;
}

}  // namespace

StatusOr<Tensor> DecodeNestedTensor(ChunkReader in, Allocator* allocator,
                                    int depth) {
  Outline outline;
  MR_RETURN_IF_ERROR(ReadOutline(in, &outline));
  MR_ASSIGN_OR_RETURN(const DataType type, CheckedDataType(outline.dtype));
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(outline.dims));
  if (type == DataType::kVariant) {
    return DecodeVariants(std::move(shape), in,
                          outline.has_content ? &outline.content : nullptr,
                          allocator, depth + 1);
  }
  if (type == DataType::kResource) {
    if (outline.has_content) {
      return ReadHandleContent(std::move(shape), outline.content, allocator);
    }
    return DecodeHandles(std::move(shape), in, allocator);
  }
  if (type == DataType::kString) {
    if (outline.has_content) {
      return ReadStringContent(std::move(shape), outline.content, allocator);
    }
    return ReadStringValues(std::move(shape), in, allocator);
  }
  if (outline.has_content) {
    return ReadPlainContent(type, std::move(shape), outline.content, allocator);
  }
  MR_ASSIGN_OR_RETURN(Tensor tensor,
                      Tensor::Allocate(allocator, type, std::move(shape)));
  MR_RETURN_IF_ERROR(ReadTypedValues(in, &tensor));
  return tensor;
}

StatusOr<Tensor> DecodeTensor(ChunkReader in, Allocator* allocator) {
  return DecodeNestedTensor(in, allocator, 0);
}

StatusOr<Tensor> DecodeTensor(absl::string_view bytes, Allocator* allocator) {
  return DecodeTensor(ChunkReader(bytes), allocator);
}

StatusOr<TensorShape> DecodeShape(ChunkReader in) {
  DimVector dims;
  bool unknown_rank = false;
  MR_RETURN_IF_ERROR(ReadDims(in, &dims, &unknown_rank));
  if (unknown_rank)
    return InvalidArgument("a known shape is needed; the rank is unknown");
  return TensorShape::Make(dims);
}

StatusOr<PartialShape> DecodeUnreadShape(ChunkReader in) {
  DimVector dims;
  bool unknown_rank = false;
  MR_RETURN_IF_ERROR(ReadDims(in, &dims, &unknown_rank));
  if (unknown_rank) return PartialShape();
  for (int64_t& dim : dims) dim = std::max<int64_t>(dim, kUnknownDim);
  StatusOr<PartialShape> shape = PartialShape::Make(dims);
  if (shape.ok()) return shape;
  std::fill(dims.begin(), dims.end(), kUnknownDim);
  return PartialShape::Make(dims);
}

StatusOr<PartialShape> DecodePartialShape(ChunkReader in) {
  DimVector dims;
  bool unknown_rank = false;
  MR_RETURN_IF_ERROR(ReadDims(in, &dims, &unknown_rank));
  if (unknown_rank) return PartialShape();
  StatusOr<PartialShape> shape = PartialShape::Make(dims);
  if (shape.ok()) return shape;
  const bool below = std::any_of(dims.begin(), dims.end(),
                                 [](int64_t d) { return d < kUnknownDim; });
  if (!below && dims.size() > kMaxRank) return shape;
  return InvalidArgument(
      "Shape [", absl::StrJoin(dims, ","),
      below ? "] has dimensions with values below -1 (where -1 means unknown)"
            : "] is too large (more than 2**63 - 1 entries)");
}

}  // namespace millrace
