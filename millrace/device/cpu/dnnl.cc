// Also defines the six OpenMP functions that libdnnl imports. They are in this
// file so that any user of oneDNN through dnnl.h links them: the program's
// symbols take precedence over libgomp's.
#include "millrace/device/cpu/dnnl.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "millrace/base/check.h"

namespace millrace {
namespace {

// Waking a sleeping thread costs 5 us at best, 50 us on a virtual machine; a
// product of this many multiply-adds takes one thread about 150 us.
constexpr int64_t kMinMultiplyAdds = int64_t{1} << 24;
// A product of this many multiply-adds, 20 us, is shared with threads that are
// awake.
constexpr int64_t kMinAwakeMultiplyAdds = int64_t{1} << 21;
// A product of this many multiply-adds wakes a thread if none is awake: it pays
// on a machine of half the speed, and breaks even on others.
constexpr int64_t kMinWokenMultiplyAdds = int64_t{1} << 23;

IntraOpPool::Team MakeTeam(IntraOpPool* pool, int64_t multiply_adds, int most) {
  if (pool == nullptr || most == 1 || multiply_adds < kMinAwakeMultiplyAdds)
    return {};
  const bool is_long = multiply_adds >= kMinMultiplyAdds;
  const int64_t share =
      (is_long ? kMinMultiplyAdds : kMinAwakeMultiplyAdds) / 2;
  const int width =
      static_cast<int>(std::min<int64_t>(multiply_adds / share, most));
  if (is_long) return pool->Reserve(width);
  return pool->ReserveAwake(width,
                            multiply_adds >= kMinWokenMultiplyAdds ? 2 : 1);
}

// The state that the members of one parallel region share.
struct Region {
  int width = 1;
  std::atomic<int> arrived{0};
  std::atomic<uint32_t> phase{0};

  // Members run at the same time and reach this at about the same time.
  void Barrier() {
    const uint32_t now = phase.load(std::memory_order_acquire);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == width) {
      arrived.store(0, std::memory_order_relaxed);
      phase.store(now + 1, std::memory_order_release);
      return;
    }
    for (int spins = 1; phase.load(std::memory_order_acquire) == now; ++spins) {
      // With more threads than cores, the missing member needs this core.
      if (spins % 1024 == 0) Yield();
    }
  }
};

// The thread's state that OpenMP's functions return.
struct OmpThread {
  IntraOpPool::Team* team = nullptr;  // of the DnnlRun, outside regions
  Region* region = nullptr;
  int index = 0;
};
constinit thread_local OmpThread omp_thread;

void RunMember(Region& region, int index, void (*body)(void*), void* data) {
  const OmpThread saved = omp_thread;
  omp_thread = {nullptr, &region, index};
  body(data);
  omp_thread = saved;
}

void RunRegion(void (*body)(void*), void* data, int width) {
  IntraOpPool::Team* team = omp_thread.team;
  Region region;
  if (omp_thread.region != nullptr || team == nullptr || width == 1) {
    // A nested region, or a call of oneDNN outside a DnnlRun, where it saw one
    // thread.
    MR_CHECK(width <= 1 || omp_thread.region != nullptr, "oneDNN wants ", width,
             " threads outside a DnnlRun");
    return RunMember(region, 0, body, data);
  }
  MR_CHECK(width <= team->width(), "oneDNN wants ", width,
           " threads of a team of ", team->width(),
           ": the primitive was made for another width");
  region.width = width;
  team->Run([&](int index, int) {
    if (index < width) RunMember(region, index, body, data);
  });
}

constinit std::atomic<const dnnl::engine*> the_engine{nullptr};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void GOMP_parallel(void (*body)(void*),
                                                          void* data,
                                                          unsigned threads,
                                                          unsigned) {
  const int most = omp_thread.team ? omp_thread.team->width() : 1;
  RunRegion(body, data, threads == 0 ? most : static_cast<int>(threads));
}

__attribute__((visibility("default"))) void GOMP_barrier() {
  if (omp_thread.region) omp_thread.region->Barrier();
}

__attribute__((visibility("default"))) int omp_get_max_threads() {
  return omp_thread.team ? omp_thread.team->width() : 1;
}

__attribute__((visibility("default"))) int omp_get_num_threads() {
  return omp_thread.region ? omp_thread.region->width : 1;
}

__attribute__((visibility("default"))) int omp_get_thread_num() {
  return omp_thread.region ? omp_thread.index : 0;
}

__attribute__((visibility("default"))) int omp_in_parallel() {
  return omp_thread.region != nullptr && omp_thread.region->width > 1;
}

}  // extern "C"

bool UsesOwnOpenMp() {
  return dlsym(RTLD_DEFAULT, "GOMP_parallel") ==
         reinterpret_cast<void*>(&GOMP_parallel);
}

const dnnl::engine& DnnlEngine() {
  const dnnl::engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) {
    const auto* made = new dnnl::engine(dnnl::engine::kind::cpu, 0);
    if (the_engine.compare_exchange_strong(engine, made,
                                           std::memory_order_acq_rel)) {
      engine = made;
    } else {
      delete made;
    }
  }
  return *engine;
}

StatusOr<dnnl::memory::data_type> DnnlType(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return dnnl::memory::data_type::f32;
    case DataType::kBfloat16:
      return dnnl::memory::data_type::bf16;
    case DataType::kHalf:
      return dnnl::memory::data_type::f16;
    case DataType::kInt32:
    case DataType::kQint32:
      return dnnl::memory::data_type::s32;
    case DataType::kInt8:
    case DataType::kQint8:
      return dnnl::memory::data_type::s8;
    case DataType::kUint8:
    case DataType::kQuint8:
      return dnnl::memory::data_type::u8;
    default:
      return InvalidArgument("oneDNN has no type ", DataTypeName(type));
  }
}

Status DnnlTry(absl::FunctionRef<void()> f) {
  try {
    f();
    return OkStatus();
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_unimplemented)
      return Unimplemented("oneDNN: ", e.message);
    if (e.status == dnnl_out_of_memory)
      return ResourceExhausted("oneDNN: ", e.message);
    return Internal("oneDNN: ", e.message);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("OOM in oneDNN");
  }
}

dnnl::primitive_attr DnnlAttr() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

DnnlRun::DnnlRun(KernelContext& ctx, int64_t multiply_adds)
    : DnnlRun(*ctx.allocator(),
              MakeTeam(ctx.device().intra_op_pool(), multiply_adds,
                       ctx.device().intra_op_width())) {}

DnnlRun::DnnlRun(IntraOpPool& pool, Allocator& allocator, int width)
    : DnnlRun(allocator,
              width > 1 ? pool.Reserve(width) : IntraOpPool::Team()) {}

DnnlRun::DnnlRun(Allocator& allocator, IntraOpPool::Team team)
    : allocator_(allocator), team_(std::move(team)) {
  MR_CHECK(omp_thread.team == nullptr, "a DnnlRun within another");
  omp_thread.team = &team_;
}

DnnlRun::~DnnlRun() { omp_thread.team = nullptr; }

void DnnlRun::ForMembers(absl::FunctionRef<void(int index, int width)> f) {
  omp_thread.team = nullptr;
  team_.Run(f);
  omp_thread.team = &team_;
}

void DnnlRun::ShareParts(int64_t parts,
                         absl::FunctionRef<void(int64_t part)> f) {
  std::atomic<int64_t> next{0};
  omp_thread.team = nullptr;
  team_.Share([&](int, int) {
    for (int64_t part; (part = next.fetch_add(1)) < parts;) f(part);
  });
  omp_thread.team = &team_;
}

Status DnnlRun::Execute(const dnnl::primitive& primitive,
                        std::unordered_map<int, dnnl::memory> args) const {
  Ref<Buffer> scratch;
  Status status;
  MR_RETURN_IF_ERROR(DnnlTry([&] {
    const_dnnl_primitive_desc_t pd = nullptr;
    dnnl::error::wrap_c_api(
        dnnl_primitive_get_primitive_desc(primitive.get(), &pd),
        "no primitive descriptor");
    const dnnl_memory_desc_t* scratch_desc =
        dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    const size_t bytes =
        scratch_desc ? dnnl_memory_desc_get_size(scratch_desc) : 0;
    if (bytes > 0) {
      StatusOr<Ref<Buffer>> buffer = allocator_.Allocate(bytes);
      if (!buffer.ok()) {
        status = buffer.status();
        return;
      }
      scratch = *std::move(buffer);
      args[DNNL_ARG_SCRATCHPAD] = dnnl::memory(
          dnnl::memory::desc(*scratch_desc), DnnlEngine(), scratch->data());
    }
    // A stream of a CPU engine runs at once and keeps no state.
    thread_local dnnl::stream stream(DnnlEngine());
    primitive.execute(stream, args);
    stream.wait();  // NOLINT(layers): oneDNN's, does not block
  }));
  return status;
}

}  // namespace millrace
