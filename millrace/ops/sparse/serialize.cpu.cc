// Kernels that serialize each sparse tensor as three strings or three variants.
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/sparse/batch.h"
#include "millrace/tensor/variant/variant_tensor.h"
#include "millrace/tensor/wire.h"

namespace millrace::ops {
namespace {

Status Write(const Tensor& t, StringElement* to) {
  MR_ASSIGN_OR_RETURN(const ByteChunks bytes,
                      EncodeTensor(t, StringForm::kContent));
  to->Assign(bytes.Flatten());
  return OkStatus();
}
Status Write(const Tensor& t, VariantElement* to) {
  *to = MakeRef<VariantTensor>(t);
  return OkStatus();
}

Tensor VectorOf(const DimVector& dims) {
  return Tensor::Vector<int64_t>(absl::MakeConstSpan(dims));
}

template <class E>
Status WritePart(const SparsePart& part, E* to) {
  MR_RETURN_IF_ERROR(Write(part.indices, to));
  MR_RETURN_IF_ERROR(Write(part.values, to + 1));
  return Write(VectorOf(part.dims), to + 2);
}

template <class E>
Status RunSerialize(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(
      ReadEntries(ctx, 0, {PartWords::kInput, SizeWords::kSerialized})
          .status());
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({3})));
  for (int i = 0; i < 3; ++i) {
    MR_RETURN_IF_ERROR(
        Write(ctx.input(i), &out->mutable_flat<E>()[static_cast<size_t>(i)]));
  }
  return OkStatus();
}

template <class E>
Status RunSerializeMany(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const BatchParts batch,
                      CutBatch(ctx, SizeWords::kTensor));
  // A shape may have many more parts than entries.
  constexpr int64_t kBytes = 64;  // of an empty tensor, approximately
  MemoryCharge charge;
  if (batch.count > (int64_t{1} << 48)) {
    return ResourceExhausted("a batch of ", batch.count, " sparse tensors");
  }
  MR_RETURN_IF_ERROR(
      charge.Set(batch.count * 3 * kBytes, "serialized sparse tensors"));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({batch.count, 3})));
  E* const to = out->mutable_flat<E>().data();
  size_t next = 0;
  E empty[3];
  MR_RETURN_IF_ERROR(WritePart(batch.empty, empty));
  for (int64_t i = 0; i < batch.count; ++i) {
    if (next < batch.parts.size() && batch.parts[next].first == i) {
      MR_RETURN_IF_ERROR(WritePart(batch.parts[next++].second, to + 3 * i));
    } else {
      std::copy_n(empty, 3, to + 3 * i);
    }
    if (i % 4096 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
  }
  return OkStatus();
}

StatusOr<Tensor> Read(KernelContext& ctx, const StringElement& from, size_t,
                      int) {
  StatusOr<Tensor> t = DecodeTensor(from.view(), ctx.allocator());
  if (t.status().code() == StatusCode::kInvalidArgument) {
    return Prefix("Could not parse serialized proto: ", t.status());
  }
  return t;
}
StatusOr<Tensor> Read(KernelContext&, const VariantElement& from, size_t i,
                      int column) {
  const auto* const value = dynamic_cast<const VariantTensor*>(from.get());
  if (value != nullptr) return value->tensor();
  return InvalidArgument("Could not get a tensor from serialized_sparse[", i,
                         ", ", column, "]");
}

// Reads part i from three elements and checks it.
template <class E>
StatusOr<SparsePart> ReadPart(KernelContext& ctx, const E* from, size_t i) {
  SparsePart part;
  MR_ASSIGN_OR_RETURN(part.indices, Read(ctx, from[0], i, 0));
  if (part.indices.rank() != 2 || part.indices.dtype() != DataType::kInt64) {
    return InvalidArgument("Expected serialized_sparse[", i,
                           ", 0] to represent an index matrix but received "
                           "shape ",
                           part.indices.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(part.values, Read(ctx, from[1], i, 1));
  if (part.values.rank() != 1) {
    return InvalidArgument("Expected serialized_sparse[", i,
                           ", 1] to represent a values vector but received "
                           "shape ",
                           part.values.shape().DebugString());
  }
  MR_RETURN_IF_ERROR(CheckValuesType(part, i, ctx.output_type(1)));
  if (part.indices.dim(0) != part.values.dim(0)) {
    return InvalidArgument("Expected row counts of SparseTensor[", i,
                           "].indices and SparseTensor[", i,
                           "].values to match but they do not: ",
                           part.indices.dim(0), " vs. ", part.values.dim(0));
  }
  MR_ASSIGN_OR_RETURN(const Tensor shape, Read(ctx, from[2], i, 2));
  if (shape.rank() != 1 || shape.dtype() != DataType::kInt64) {
    return InvalidArgument("Expected serialized_sparse[", i,
                           ", 1] to be a shape vector but its shape is ",
                           shape.shape().DebugString());
  }
  if (part.indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("Expected column counts of SparseTensor[", i,
                           "].indices to match size of SparseTensor[", i,
                           "].shape but they do not: ", part.indices.dim(1),
                           " vs. ", shape.dim(0));
  }
  const auto dims = shape.flat<int64_t>();
  MR_RETURN_IF_ERROR(TensorShape::Make(dims).status());
  part.dims.assign(dims.begin(), dims.end());
  return part;
}

template <class E>
Status RunDeserialize(KernelContext& ctx) {
  const Tensor& serialized = ctx.input(0);
  const int rank = serialized.rank();
  if (rank == 0) {
    return InvalidArgument("Serialized sparse should have non-zero rank ",
                           serialized.shape().DebugString());
  }
  if (serialized.dim(rank - 1) != 3) {
    return InvalidArgument(
        "Serialized sparse should have 3 as the last dimension ",
        serialized.shape().DebugString());
  }
  if (serialized.num_elements() == 0) {
    return InvalidArgument(
        "Serialized sparse should have at least 1 serialized tensor, but has a "
        "zero dimension ",
        serialized.shape().DebugString());
  }
  const E* const from = serialized.flat<E>().data();
  if (rank == 1) {
    MR_ASSIGN_OR_RETURN(SparsePart part, ReadPart(ctx, from, 0));
    ctx.set_output(0, std::move(part.indices));
    ctx.set_output(1, std::move(part.values));
    return SetVector(ctx, 2, part.dims);
  }
  std::vector<SparsePart> parts;
  MemoryCharge charge;
  int64_t bytes = 0;
  const auto count = static_cast<size_t>(serialized.num_elements() / 3);
  for (size_t i = 0; i < count; ++i) {
    MR_ASSIGN_OR_RETURN(SparsePart part, ReadPart(ctx, from + 3 * i, i));
    bytes += part.OwnBytes();
    if (bytes > charge.bytes()) {
      MR_RETURN_IF_ERROR(
          charge.Set(2 * bytes, "the parts of serialized sparse tensors"));
    }
    parts.push_back(std::move(part));
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
  }
  const DimVector dims = serialized.shape().dims();
  return JoinBatch(ctx, parts, absl::MakeConstSpan(dims).first(dims.size() - 1),
                   RankWords::kOfParts);
}

}  // namespace

MR_KERNELS(SerializeSparse, Cpu){
    {.types = "out_type: string",
     .make = MakeFunctionKernel<RunSerialize<StringElement>>},
    {.types = "out_type: variant",
     .make = MakeFunctionKernel<RunSerialize<VariantElement>>}};
MR_KERNELS(SerializeManySparse, Cpu){
    {.types = "T: " MR_ELEMENT_TYPES "; out_type: string",
     .make = MakeFunctionKernel<RunSerializeMany<StringElement>>},
    {.types = "T: " MR_ELEMENT_TYPES "; out_type: variant",
     .make = MakeFunctionKernel<RunSerializeMany<VariantElement>>}};
MR_KERNELS(DeserializeManySparse,
           Cpu){{.make = MakeFunctionKernel<RunDeserialize<StringElement>>}};
MR_KERNELS(DeserializeSparse, Cpu){
    {.types = "Tserialized: string",
     .make = MakeFunctionKernel<RunDeserialize<StringElement>>},
    {.types = "Tserialized: variant",
     .make = MakeFunctionKernel<RunDeserialize<VariantElement>>}};

}  // namespace millrace::ops
