#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/queue/staging.h"

namespace millrace::ops {
namespace {

// Finds the area of a node by its shared_name, or else by its own name.
class AreaPlace {
 public:
  static StatusOr<AreaPlace> Make(const KernelInit& init) {
    AreaPlace a;
    MR_ASSIGN_OR_RETURN(a.place_, PlaceOf(init));
    if (a.place_.is_private) a.place_.name = init.node().name;
    MR_ASSIGN_OR_RETURN(a.limits_.capacity, init.Attr<int64_t>("capacity"));
    MR_ASSIGN_OR_RETURN(a.limits_.memory_limit,
                        init.Attr<int64_t>("memory_limit"));
    MR_ASSIGN_OR_RETURN(a.types_, init.Attr<AttrValue::TypeList>("dtypes"));
    return a;
  }
  StatusOr<Ref<StagingArea>> Queue(KernelContext& ctx) const {
    return ctx.resources().LookupOrCreate<StagingArea>(
        place_.container, place_.name, [&]() -> StatusOr<Ref<StagingArea>> {
          return MakeRef<StagingArea>(limits_, place_.name);
        });
  }
  StatusOr<Ref<MapStagingArea>> Map(KernelContext& ctx) const {
    return ctx.resources().LookupOrCreate<MapStagingArea>(
        place_.container, place_.name, [&]() -> StatusOr<Ref<MapStagingArea>> {
          return MakeRef<MapStagingArea>(limits_, types_.size(), place_.name);
        });
  }
  const AttrValue::TypeList& types() const { return types_; }

 private:
  ResourcePlace place_;
  StagingLimits limits_;
  AttrValue::TypeList types_;
};

Status SetOutputs(KernelContext& ctx, int first, StagedTuple tuple) {
  if (static_cast<int>(tuple.size()) != ctx.num_outputs() - first) {
    return InvalidArgument("Mismatch between tuple size (", tuple.size(),
                           ") and expected outputs ",
                           ctx.num_outputs() - first);
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    const int output = first + static_cast<int>(i);
    if (tuple[i].dtype() != ctx.output_type(output)) {
      return Internal("Output ", output, " of type ",
                      DataTypeName(tuple[i].dtype()),
                      " does not match declared output type ",
                      DataTypeName(ctx.output_type(output)));
    }
    ctx.set_output(output, std::move(tuple[i]));
  }
  return OkStatus();
}

StagedTuple Inputs(KernelContext& ctx, int first) {
  StagedTuple tuple;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    tuple.push_back(ctx.TakeInput(i));
  }
  return tuple;
}

class Area {
 public:
  template <class K>
  static StatusOr<K> MakeOf(const KernelInit& init) {
    K k;
    MR_ASSIGN_OR_RETURN(k.area_, AreaPlace::Make(init));
    return k;
  }

 protected:
  AreaPlace area_;
};

class StageKernel : public Area {
 public:
  static StatusOr<StageKernel> Make(const KernelInit& init) {
    return MakeOf<StageKernel>(init);
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto area = area_.Queue(ctx);
    if (!area.ok()) return std::move(done)(area.status());
    (*area)->Put(ctx, Inputs(ctx, 0), std::move(done));
  }

 private:
  friend class Area;
};

template <bool kPeek>
class UnstageKernel : public Area {
 public:
  static StatusOr<UnstageKernel> Make(const KernelInit& init) {
    return MakeOf<UnstageKernel>(init);
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto area = area_.Queue(ctx);
    if (!area.ok()) return std::move(done)(area.status());
    auto use = [&ctx](StagedTuple tuple) -> Status {
      if (static_cast<int>(tuple.size()) != ctx.num_outputs()) {
        return InvalidArgument("Mismatch stage/unstage: ", tuple.size(),
                               " vs. ", ctx.num_outputs());
      }
      return SetOutputs(ctx, 0, std::move(tuple));
    };
    if (!kPeek) return (*area)->Get(ctx, std::move(use), std::move(done));
    if (ctx.input(0).rank() != 0) {
      return std::move(done)(InvalidArgument("index must be scalar"));
    }
    (*area)->Peek(ctx, ctx.input(0).scalar<int32_t>(), std::move(use),
                  std::move(done));
  }

 private:
  friend class Area;
};

enum class About { kSize, kIncomplete, kClear };

template <bool kMap, About kAbout>
class AboutKernel : public Area {
 public:
  static StatusOr<AboutKernel> Make(const KernelInit& init) {
    return MakeOf<AboutKernel>(init);
  }
  Status Run(KernelContext& ctx) const {
    if constexpr (kMap) {
      MR_ASSIGN_OR_RETURN(const auto area, area_.Map(ctx));
      return Tell(ctx, *area);
    } else {
      MR_ASSIGN_OR_RETURN(const auto area, area_.Queue(ctx));
      return Tell(ctx, *area);
    }
  }

 private:
  friend class Area;
  template <class T>
  static Status Tell(KernelContext& ctx, T& area) {
    if constexpr (kAbout == About::kClear) {
      area.Clear();
    } else if constexpr (kAbout == About::kIncomplete) {
      ctx.set_output(0, Tensor::Scalar<int32_t>(
                            static_cast<int32_t>(area.incomplete_size())));
    } else {
      ctx.set_output(
          0, Tensor::Scalar<int32_t>(static_cast<int32_t>(area.size())));
    }
    return OkStatus();
  }
};

// Their shape has no meaning, as in stock.
StatusOr<std::vector<int32_t>> Indices(KernelContext& ctx, int input) {
  const auto flat = ctx.input(input).flat<int32_t>();
  return std::vector<int32_t>(flat.begin(), flat.end());
}

class MapStageKernel : public Area {
 public:
  static StatusOr<MapStageKernel> Make(const KernelInit& init) {
    return MakeOf<MapStageKernel>(init);
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto area = area_.Map(ctx);
    if (!area.ok()) return std::move(done)(area.status());
    const auto indices = Indices(ctx, 1);
    Status status = indices.status();
    if (status.ok()) status = Check(ctx, *indices);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*area)->Put(ctx, ctx.input(0).scalar<int64_t>(), *indices, Inputs(ctx, 2),
                 std::move(done));
  }

 private:
  friend class Area;
  Status Check(KernelContext& ctx, const std::vector<int32_t>& indices) const {
    // Stock takes the one element of a key of any rank, here only.
    const Tensor& key = ctx.input(0);
    if (key.num_elements() == 0) {
      return InvalidArgument("key must not be empty");
    }
    if (key.num_elements() > 1) {
      return InvalidArgument(
          "key must be an int64 scalar, got tensor with shape: ",
          key.shape().DebugString());
    }
    MR_RETURN_IF_ERROR(CheckIndexOrder(indices));
    if (static_cast<int>(indices.size()) != ctx.num_inputs() - 2) {
      return InvalidArgument("there are ", indices.size(), " indices and ",
                             ctx.num_inputs() - 2, " values");
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto index = static_cast<size_t>(indices[i]);
      const DataType type = ctx.input_type(static_cast<int>(i) + 2);
      if (indices[i] >= 0 && index < area_.types().size() &&
          area_.types()[index] != type) {
        return InvalidArgument("value ", i, " is ", DataTypeName(type),
                               ", component ", index, " is ",
                               DataTypeName(area_.types()[index]));
      }
    }
    return OkStatus();
  }
};

enum class Way { kPeek, kTake, kTakeAny };

template <Way kWay>
class MapUnstageKernel : public Area {
 public:
  static StatusOr<MapUnstageKernel> Make(const KernelInit& init) {
    return MakeOf<MapUnstageKernel>(init);
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    constexpr bool kAny = kWay == Way::kTakeAny;
    const auto area = area_.Map(ctx);
    if (!area.ok()) return std::move(done)(area.status());
    const auto indices = Indices(ctx, kAny ? 0 : 1);
    Status status = indices.status();
    if (status.ok() && !kAny && ctx.input(0).rank() != 0) {
      status = InvalidArgument("key must be an int64 scalar: ",
                               ctx.input(0).shape().DebugString());
    }
    if (!status.ok()) return std::move(done)(std::move(status));
    std::optional<int64_t> key;
    if (!kAny) key = ctx.input(0).scalar<int64_t>();
    (*area)->Get(
        ctx, key, *indices, kWay != Way::kPeek,
        [&ctx](int64_t found, StagedTuple tuple) {
          if (kAny) ctx.set_output(0, Tensor::Scalar<int64_t>(found));
          return SetOutputs(ctx, kAny ? 1 : 0, std::move(tuple));
        },
        std::move(done));
  }

 private:
  friend class Area;
};

}  // namespace

MR_KERNELS(Stage, Cpu){{.make = MakeKernel<StageKernel>}};
MR_KERNELS(Unstage, Cpu){{.make = MakeKernel<UnstageKernel<false>>}};
MR_KERNELS(StagePeek,
           Cpu){{.make = MakeKernel<UnstageKernel<true>>, .host = "index"}};
MR_KERNELS(StageSize, Cpu){
    {.make = MakeKernel<AboutKernel<false, About::kSize>>, .host = "size"}};
MR_KERNELS(StageClear,
           Cpu){{.make = MakeKernel<AboutKernel<false, About::kClear>>}};

MR_KERNELS(MapStage,
           Cpu){{.make = MakeKernel<MapStageKernel>, .host = "key, indices"}};
MR_KERNELS(MapPeek, Cpu){
    {.make = MakeKernel<MapUnstageKernel<Way::kPeek>>, .host = "key, indices"}};
MR_KERNELS(MapUnstage, Cpu){
    {.make = MakeKernel<MapUnstageKernel<Way::kTake>>, .host = "key, indices"}};
MR_KERNELS(MapUnstageNoKey,
           Cpu){{.make = MakeKernel<MapUnstageKernel<Way::kTakeAny>>,
                 .host = "key, indices"}};
MR_KERNELS(MapSize, Cpu){
    {.make = MakeKernel<AboutKernel<true, About::kSize>>, .host = "size"}};
MR_KERNELS(MapIncompleteSize,
           Cpu){{.make = MakeKernel<AboutKernel<true, About::kIncomplete>>,
                 .host = "size"}};
MR_KERNELS(MapClear,
           Cpu){{.make = MakeKernel<AboutKernel<true, About::kClear>>}};
MR_KERNELS(OrderedMapStage,
           Cpu){{.make = MakeKernel<MapStageKernel>, .host = "key, indices"}};
MR_KERNELS(OrderedMapPeek, Cpu){
    {.make = MakeKernel<MapUnstageKernel<Way::kPeek>>, .host = "key, indices"}};
MR_KERNELS(OrderedMapUnstage, Cpu){
    {.make = MakeKernel<MapUnstageKernel<Way::kTake>>, .host = "key, indices"}};
MR_KERNELS(OrderedMapUnstageNoKey,
           Cpu){{.make = MakeKernel<MapUnstageKernel<Way::kTakeAny>>,
                 .host = "key, indices"}};
MR_KERNELS(OrderedMapSize, Cpu){
    {.make = MakeKernel<AboutKernel<true, About::kSize>>, .host = "size"}};
MR_KERNELS(OrderedMapIncompleteSize,
           Cpu){{.make = MakeKernel<AboutKernel<true, About::kIncomplete>>,
                 .host = "size"}};
MR_KERNELS(OrderedMapClear,
           Cpu){{.make = MakeKernel<AboutKernel<true, About::kClear>>}};

}  // namespace millrace::ops
