#include "millrace/base/hash/siphash.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/string/string_hash.h"

namespace millrace::ops {
namespace {

template <class F>
Status RunHash(KernelContext& ctx, uint64_t buckets, F hash) {
  const auto strings = ctx.input(0).flat<StringElement>();
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, ctx.input(0).shape()));
  auto bucket = out->mutable_flat<int64_t>();
  for (size_t i = 0; i < strings.size(); ++i) {
    bucket[i] = static_cast<int64_t>(hash(strings[i].view()) % buckets);
  }
  return OkStatus();
}

template <uint64_t (*kHash)(absl::string_view)>
class HashKernel {
 public:
  static StatusOr<HashKernel> Make(const KernelInit& init) {
    HashKernel k;
    MR_ASSIGN_OR_RETURN(k.buckets_, init.Attr<int64_t>("num_buckets"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return RunHash(ctx, static_cast<uint64_t>(buckets_), kHash);
  }

 private:
  int64_t buckets_ = 1;
};

class KeyedHashKernel {
 public:
  static StatusOr<KeyedHashKernel> Make(const KernelInit& init) {
    KeyedHashKernel k;
    MR_ASSIGN_OR_RETURN(k.buckets_, init.Attr<int64_t>("num_buckets"));
    MR_ASSIGN_OR_RETURN(const AttrValue::IntList key,
                        init.Attr<AttrValue::IntList>("key"));
    if (key.size() != 2) return InvalidArgument("Key must have 2 elements");
    k.key_ = {static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])};
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return RunHash(
        ctx, static_cast<uint64_t>(buckets_),
        [this](absl::string_view text) { return SipHash(key_, text); });
  }

 private:
  int64_t buckets_ = 1;
  std::array<uint64_t, 2> key_ = {};
};

}  // namespace

MR_KERNELS(StringToHashBucket,
           Cpu){{.make = MakeKernel<HashKernel<MurmurHash>>}};
MR_KERNELS(StringToHashBucketFast,
           Cpu){{.make = MakeKernel<HashKernel<FarmFingerprint>>}};
MR_KERNELS(StringToHashBucketStrong,
           Cpu){{.make = MakeKernel<KeyedHashKernel>}};

}  // namespace millrace::ops
