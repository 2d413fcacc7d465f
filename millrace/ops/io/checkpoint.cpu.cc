#include <string>
#include <vector>

#include "millrace/checkpoint/bundle/bundle_merge.h"
#include "millrace/checkpoint/bundle/bundle_writer.h"
#include "millrace/checkpoint/checkpoint_paths.h"
#include "millrace/checkpoint/checkpoint_reader.h"
#include "millrace/checkpoint/tensor_slice.h"
#include "millrace/checkpoint/v1/v1_writer.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/io/blocking.h"

namespace millrace::ops {
namespace {

StatusOr<std::string> StringScalar(const Tensor& t, absl::string_view what) {
  if (t.dtype() != DataType::kString || t.num_elements() != 1) {
    return InvalidArgument(what, " should be a single string, got shape ",
                           t.shape().DebugString());
  }
  return t.flat<StringElement>()[0].str();
}

// Checks that "tensor_names" and "shape_and_slices" are vectors of one length.
Status CheckNames(const Tensor& names, const Tensor& slices) {
  if (names.rank() != 1 || slices.rank() != 1) {
    return InvalidArgument(
        "Input tensor_names and shape_and_slices should be an 1-D tensors, "
        "got ",
        names.shape().DebugString(), " and ", slices.shape().DebugString(),
        " instead.");
  }
  if (names.num_elements() == slices.num_elements()) return OkStatus();
  return InvalidArgument(
      "tensor_names and shape_and_slices have different number of elements: ",
      names.num_elements(), " vs. ", slices.num_elements());
}

Status AddWhole(BundleWriter& writer, const std::string& name,
                const Tensor& value) {
  return writer.Add(name, value);
}
Status AddWhole(V1Writer& writer, const std::string& name,
                const Tensor& value) {
  return writer.Add(name, value.shape(), TensorSlice::Full(value.rank()),
                    value);
}
Status AddPart(BundleWriter& writer, const std::string& name,
               const ShapeAndSlice& part, const Tensor& value) {
  return writer.AddSlice(name, part.full_shape, part.slice, value);
}
Status AddPart(V1Writer& writer, const std::string& name,
               const ShapeAndSlice& part, const Tensor& value) {
  return writer.Add(name, part.full_shape, part.slice, value);
}

template <class Writer>
Status AddTensor(Writer& writer, const std::string& name,
                 absl::string_view shape_and_slice, const Tensor& value) {
  MR_ASSIGN_OR_RETURN(const std::optional<ShapeAndSlice> slice,
                      ParseShapeAndSlice(shape_and_slice));
  if (!slice) return AddWhole(writer, name, value);
  if (!(slice->slice_shape == value.shape())) {
    return InvalidArgument(
        "Slice in shape_and_slice specification does not "
        "match the shape of the tensor to save: ",
        shape_and_slice, ", tensor: ", value.shape().DebugString());
  }
  return AddPart(writer, name, *slice, value);
}

class SaveV2Kernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      constexpr int kFirst = 3;
      MR_ASSIGN_OR_RETURN(const std::string prefix,
                          StringScalar(ctx.input(0), "prefix"));
      MR_RETURN_IF_ERROR(CheckNames(ctx.input(1), ctx.input(2)));
      const int tensors = ctx.num_inputs() - kFirst;
      if (ctx.input(1).num_elements() != tensors) {
        return InvalidArgument("Got ", ctx.input(1).num_elements(),
                               " tensor names but ", tensors, " tensors.");
      }
      MR_ASSIGN_OR_RETURN(auto writer,
                          BundleWriter::Open(ctx.step().files, prefix));
      for (int i = kFirst; i < ctx.num_inputs(); ++i) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        MR_RETURN_IF_ERROR(AddTensor(
            *writer, ctx.input(1).flat<StringElement>()[i - kFirst].str(),
            ctx.input(2).flat<StringElement>()[i - kFirst].view(),
            ctx.input(i)));
      }
      return writer->Finish();
    });
  }
};

// The contents of a checkpoint of format V1: whole tensors, or slices of larger
// ones, which an input describes.
enum class Saved { kWhole, kSlices };

template <Saved kSaved>
class SaveV1Kernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      constexpr bool kSliced = kSaved == Saved::kSlices;
      constexpr int kFirst = kSliced ? 3 : 2;
      MR_ASSIGN_OR_RETURN(const std::string name,
                          StringScalar(ctx.input(0), "filename"));
      // As in stock, names and slices may have any shape.
      const int64_t names = ctx.input(1).num_elements();
      if (kSliced && ctx.input(2).num_elements() != names) {
        return InvalidArgument("Expected ", names,
                               " elements for the tensor shapes and slices but "
                               "got ",
                               ctx.input(2).num_elements());
      }
      if (ctx.num_inputs() != names + kFirst) {
        return InvalidArgument(
            "Expected totally ", names + kFirst,
            " inputs as input #1 (which is a string tensor of saved names) "
            "contains ",
            names, " names, but received ", ctx.num_inputs(), " inputs");
      }
      V1Writer writer(ctx.step().files, name);
      for (int i = kFirst; i < ctx.num_inputs(); ++i) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        MR_RETURN_IF_ERROR(AddTensor(
            writer, ctx.input(1).flat<StringElement>()[i - kFirst].str(),
            kSliced ? ctx.input(2).flat<StringElement>()[i - kFirst].view()
                    : "",
            ctx.input(i)));
      }
      return writer.Finish();
    });
  }
};

class RestoreV2Kernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(const std::string prefix,
                          StringScalar(ctx.input(0), "prefix"));
      MR_RETURN_IF_ERROR(CheckNames(ctx.input(1), ctx.input(2)));
      if (ctx.input(1).num_elements() != ctx.num_outputs()) {
        return InvalidArgument("Got ", ctx.input(1).num_elements(),
                               " tensor names, but ", ctx.num_outputs(),
                               " expected dtypes.");
      }
      MR_ASSIGN_OR_RETURN(
          auto reader, CheckpointReader::Open(ctx.step().files, prefix, [&ctx] {
            return ctx.CheckCancelled();
          }));
      for (int i = 0; i < ctx.num_outputs(); ++i) {
        MR_RETURN_IF_ERROR(ctx.CheckCancelled());
        MR_ASSIGN_OR_RETURN(
            Tensor value,
            reader->Restore(ctx.input(1).flat<StringElement>()[i].view(),
                            ctx.input(2).flat<StringElement>()[i].view(),
                            ctx.output_type(i), ctx.allocator()));
        ctx.set_output(i, std::move(value));
      }
      return OkStatus();
    });
  }
};

class RestoreKernel {
 public:
  static StatusOr<RestoreKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const int64_t shard,
                        init.Attr<int64_t>("preferred_shard"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("preferred_shard", shard));
    return RestoreKernel();
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx]() -> Status {
      MR_ASSIGN_OR_RETURN(const std::string pattern,
                          StringScalar(ctx.input(0), "file_pattern"));
      MR_ASSIGN_OR_RETURN(const std::string name,
                          StringScalar(ctx.input(1), "tensor_name"));
      std::string slice;
      if (ctx.num_inputs() > 2) {
        MR_ASSIGN_OR_RETURN(slice,
                            StringScalar(ctx.input(2), "shape_and_slice"));
      }
      MR_ASSIGN_OR_RETURN(auto reader, CheckpointReader::Open(
                                           ctx.step().files, pattern, [&ctx] {
                                             return ctx.CheckCancelled();
                                           }));
      MR_ASSIGN_OR_RETURN(
          Tensor value,
          reader->Restore(name, slice, ctx.output_type(0), ctx.allocator()));
      ctx.set_output(0, std::move(value));
      return OkStatus();
    });
  }
};

class MergeKernel {
 public:
  static StatusOr<MergeKernel> Make(const KernelInit& init) {
    MergeKernel k;
    MR_ASSIGN_OR_RETURN(k.options_.delete_old_dirs,
                        init.Attr<bool>("delete_old_dirs"));
    MR_ASSIGN_OR_RETURN(k.options_.allow_missing,
                        init.Attr<bool>("allow_missing_files"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    RunBlocking(ctx, std::move(done), [&ctx, options = options_]() -> Status {
      if (ctx.input(0).rank() != 1) {
        return InvalidArgument(
            "Input checkpoint_prefixes should be an 1-D "
            "tensor, got ",
            ctx.input(0).shape().DebugString(), " instead.");
      }
      MR_ASSIGN_OR_RETURN(const std::string destination,
                          StringScalar(ctx.input(1), "destination_prefix"));
      std::vector<std::string> prefixes;
      for (const StringElement& e : ctx.input(0).flat<StringElement>()) {
        prefixes.push_back(e.str());
      }
      return MergeBundles(ctx.step().files, prefixes, destination, options);
    });
  }

 private:
  MergeOptions options_;
};

Status RunShardedFilename(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(
        CheckScalar(ctx.input(i), ctx.node().op->inputs[i].name));
  }
  const absl::string_view name = ctx.input(0).scalar<StringElement>().view();
  ctx.set_output(0, Tensor::Scalar<std::string>(
                        ShardedFilename(name, ctx.input(1).scalar<int32_t>(),
                                        ctx.input(2).scalar<int32_t>())));
  return OkStatus();
}

Status RunShardedFilespec(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(
        CheckScalar(ctx.input(i), ctx.node().op->inputs[i].name));
  }
  ctx.set_output(0, Tensor::Scalar<std::string>(ShardedFilespec(
                        ctx.input(0).scalar<StringElement>().view(),
                        ctx.input(1).scalar<int32_t>())));
  return OkStatus();
}

}  // namespace

MR_KERNELS(SaveV2, Cpu){{.make = MakeKernel<SaveV2Kernel>}};
MR_KERNELS(RestoreV2, Cpu){{.make = MakeKernel<RestoreV2Kernel>}};
MR_KERNELS(MergeV2Checkpoints, Cpu){{.make = MakeKernel<MergeKernel>}};
MR_KERNELS(SaveSlices, Cpu){{.make = MakeKernel<SaveV1Kernel<Saved::kSlices>>}};
MR_KERNELS(Save, Cpu){{.make = MakeKernel<SaveV1Kernel<Saved::kWhole>>}};
MR_KERNELS(Restore, Cpu){{.make = MakeKernel<RestoreKernel>}};
MR_KERNELS(RestoreSlice, Cpu){{.make = MakeKernel<RestoreKernel>}};
MR_KERNELS(ShardedFilename, Cpu){
    {.make = MakeFunctionKernel<RunShardedFilename>, .cheap = true}};
MR_KERNELS(ShardedFilespec, Cpu){
    {.make = MakeFunctionKernel<RunShardedFilespec>, .cheap = true}};

}  // namespace millrace::ops
