// Ops and kernels for the tests of plans and steps. The ops that the executor
// knows by name have the schemas of the product; the others are
//   Inc, Add:  int64; Less: x < limit (attribute); Tick: Inc that counts runs
//   Busy:      Tick that takes two milliseconds
//   Fail:      ends with the error of attributes `code` and `message`
//   Throw:     throws an exception, bad_alloc where attribute `memory` is set
//   Wait:      asynchronous; ends by TestKernels::Release or a cancel
//   Forget:    sets no output
//   Put, Take: send to and receive from the step's rendezvous by `key`;
//              _Recv is a Take that the executor knows
//   Var, Get:  a reference to the device's variable `v`, and its value
//   Call:      calls the function `f` with one argument
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/clock.h"
#include "millrace/base/threads/thread.h"
#include "millrace/graph/op_registry.h"
#include "millrace/graph/testing/registry.h"
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/rendezvous.h"
#include "millrace/kernel/resource.h"

namespace millrace {

inline const OpRegistry& TestOps() {
  static constexpr const char* kX = "x: int64";
  static constexpr const char* kY = "y: int64";
  static constexpr OpDecl kDecls[] = {
      {"_Arg",
       {.outputs = "o: T",
        .attrs = "T: type; index: int >= 0",
        .role = OpRole::kArg}},
      {"_Retval",
       {.inputs = "i: T",
        .attrs = "T: type; index: int >= 0",
        .role = OpRole::kRetval}},
      {"Const",
       {.outputs = "output: dtype",
        .attrs = "value: tensor; dtype: type",
        .role = OpRole::kConstant}},
      {"NoOp", {.role = OpRole::kNoOp}},
      {"ControlTrigger", {.role = OpRole::kControlTrigger}},
      {"Switch",
       {.inputs = "data: T, pred: bool",
        .outputs = "output_false: T, output_true: T",
        .attrs = "T: type",
        .role = OpRole::kSwitch}},
      {"Merge",
       {.inputs = "inputs: N * T",
        .outputs = "output: T, value_index: int32",
        .attrs = "T: type; N: int >= 1",
        .role = OpRole::kMerge}},
      {"Enter",
       {.inputs = "data: T",
        .outputs = "output: T",
        .attrs = "T: type; frame_name: string; is_constant: bool = false; "
                 "parallel_iterations: int = 10",
        .role = OpRole::kEnter}},
      {"Exit",
       {.inputs = "data: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .role = OpRole::kExit}},
      {"NextIteration",
       {.inputs = "data: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .role = OpRole::kNextIteration}},
      {"Inc", {.inputs = kX, .outputs = kY}},
      {"Tick", {.inputs = kX, .outputs = kY, .flags = kStateful}},
      {"Busy", {.inputs = kX, .outputs = kY, .flags = kStateful}},
      {"Add", {.inputs = "a: int64, b: int64", .outputs = kY}},
      {"Less", {.inputs = kX, .outputs = "y: bool", .attrs = "limit: int"}},
      {"Fail",
       {.inputs = kX,
        .outputs = kY,
        .attrs = "code: int = 3; message: string = 'no good'"}},
      {"Throw", {.inputs = kX, .outputs = kY, .attrs = "memory: bool = false"}},
      {"Wait", {.inputs = kX, .outputs = kY}},
      {"Forget", {.inputs = kX, .outputs = kY}},
      {"Put", {.inputs = kX, .attrs = "key: string", .flags = kStateful}},
      {"Take", {.outputs = kY, .attrs = "key: string", .flags = kStateful}},
      {"_Recv",
       {.outputs = kY,
        .attrs = "key: string",
        .flags = kStateful,
        .role = OpRole::kRecv}},
      {"Var", {.outputs = "ref: Ref(int64)", .flags = kStateful}},
      {"Get", {.inputs = kX, .outputs = kY}},
      {"SetVar", {.inputs = "ref: Ref(int64)", .outputs = kY}},
      {"AddVar", {.inputs = "ref: Ref(int64), x: int64", .flags = kStateful}},
      {"Call", {.inputs = kX, .outputs = kY, .attrs = "f: func"}},
      {"OnlyGpu", {}},
  };
  static const OpRegistry& ops = MakeTestRegistry(kDecls);
  return ops;
}

// The state that the kernels of the process share. A test starts with Reset().
class TestKernels {
 public:
  static void Reset() {
    State& s = state();
    MutexLock lock(s.mu);
    s.ticks = 0;
    s.released = false;
    s.waits.clear();
  }
  // Returns the number of runs of Tick since Reset().
  static int64_t ticks() { return state().ticks; }
  static void CountTick() { ++state().ticks; }

  // Ends the runs of Wait, and lets later ones through.
  static void Release() {
    State& s = state();
    MutexLock lock(s.mu);
    s.released = true;
    std::vector<std::shared_ptr<Waiting>> waits = std::move(s.waits);
    s.waits.clear();
    lock.Unlock();
    for (auto& wait : waits) wait->End(OkStatus());
  }
  // Blocks until `count` runs of Wait have begun and not been released.
  static void AwaitWaiting(size_t count) {
    State& s = state();
    MutexLock lock(s.mu);
    while (s.waits.size() < count) s.changed.Wait(s.mu);
  }

  static void StartWaiting(KernelContext& ctx, Done done) {
    auto wait = std::make_shared<Waiting>();
    wait->done = std::move(done);
    ctx.set_output(0, ctx.input(0));
    State& s = state();
    CancelScope* cancel = ctx.step().cancel;
    const CancelScope::Registration registered =
        cancel->Register([wait, cancel] { wait->End(cancel->status()); });
    if (!registered.ok()) return wait->End(registered.status);
    MutexLock lock(s.mu);
    if (s.released) {
      lock.Unlock();
      return wait->End(OkStatus());
    }
    s.waits.push_back(std::move(wait));
    s.changed.NotifyAll();
  }

 private:
  struct Waiting {
    void End(Status status) {
      if (!ended.exchange(true)) std::move(done)(std::move(status));
    }
    std::atomic<bool> ended{false};
    Done done;
  };
  struct State {
    Mutex mu;
    CondVar changed;
    std::atomic<int64_t> ticks{0};
    bool released = false;
    std::vector<std::shared_ptr<Waiting>> waits;
  };
  static State& state() {
    static State* const state = new State;
    return *state;
  }
};

namespace test_kernels {

inline Status Pass(KernelContext& ctx) {
  ctx.output_edge(0) = std::move(ctx.input_edge(0));
  return OkStatus();
}
inline Status Switch(KernelContext& ctx) {
  const int taken = ctx.input(1).scalar<bool>() ? 1 : 0;
  ctx.output_edge(taken) = std::move(ctx.input_edge(0));
  ctx.set_output_dead(1 - taken);
  return OkStatus();
}
inline Status Inc(KernelContext& ctx) {
  ctx.set_output(0,
                 Tensor::Scalar<int64_t>(ctx.input(0).scalar<int64_t>() + 1));
  return OkStatus();
}
inline Status Tick(KernelContext& ctx) {
  TestKernels::CountTick();
  return Inc(ctx);
}
inline Status Busy(KernelContext& ctx) {
  const Deadline end = Deadline::AfterMillis(2);
  while (!end.expired()) {
  }
  return Tick(ctx);
}
inline Status Add(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(ctx.input(0).scalar<int64_t>() +
                                            ctx.input(1).scalar<int64_t>()));
  return OkStatus();
}
inline Status Forget(KernelContext&) { return OkStatus(); }

struct Less {
  static StatusOr<Less> Make(const KernelInit& init) {
    Less k;
    MR_ASSIGN_OR_RETURN(k.limit, init.Attr<int64_t>("limit"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    ctx.set_output(0, Tensor::Scalar(ctx.input(0).scalar<int64_t>() < limit));
    return OkStatus();
  }
  int64_t limit = 0;
};

// Refuses the code OK.
struct Fail {
  static StatusOr<Fail> Make(const KernelInit& init) {
    Fail k;
    MR_ASSIGN_OR_RETURN(const int64_t code, init.Attr<int64_t>("code"));
    MR_ASSIGN_OR_RETURN(const std::string message,
                        init.Attr<std::string>("message"));
    if (code == 0) return InvalidArgument("Fail cannot end with OK");
    k.status = Status(static_cast<StatusCode>(code), message);
    return k;
  }
  Status Run(KernelContext&) const { return status; }
  Status status;
};

struct Throw {
  static StatusOr<Throw> Make(const KernelInit& init) {
    Throw k;
    MR_ASSIGN_OR_RETURN(k.memory, init.Attr<bool>("memory"));
    return k;
  }
  Status Run(KernelContext&) const {
    if (memory) throw std::bad_alloc();
    throw std::runtime_error("a library's complaint");
  }
  bool memory = false;
};

struct Wait {
  void RunAsync(KernelContext& ctx, Done done) const {
    TestKernels::StartWaiting(ctx, std::move(done));
  }
};

inline std::string Key(const std::string& key, const KernelContext& ctx) {
  return absl::StrCat(key, ";", ctx.frame_id, ":", ctx.iteration);
}

struct Put {
  static StatusOr<Put> Make(const KernelInit& init) {
    Put k;
    MR_ASSIGN_OR_RETURN(k.key, init.Attr<std::string>("key"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    return ctx.step().rendezvous->Send(Key(key, ctx), {.tensor = ctx.input(0)});
  }
  std::string key;
};

struct Take {
  static StatusOr<Take> Make(const KernelInit& init) {
    Take k;
    MR_ASSIGN_OR_RETURN(k.key, init.Attr<std::string>("key"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    ctx.step().rendezvous->RecvAsync(
        Key(key, ctx), ctx.step().cancel,
        [&ctx,
         done = std::move(done)](StatusOr<RendezvousValue> received) mutable {
          if (received.ok() && received->is_dead) ctx.set_output_dead(0);
          if (received.ok() && !received->is_dead) {
            ctx.set_output(0, std::move(received->tensor));
          }
          std::move(done)(received.status());
        });
  }
  std::string key;
};

inline Status Var(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(Ref<Variable> variable,
                      ctx.resources().LookupOrCreate<Variable>("", "v", [] {
                        return StatusOr<Ref<Variable>>(
                            MakeRef<Variable>(DataType::kInt64, "v"));
                      }));
  ctx.set_output_ref(0, std::move(variable));
  return OkStatus();
}
inline Status AddVar(KernelContext& ctx) {
  Variable& variable = *ctx.input_edge(0).ref;
  MR_ASSIGN_OR_RETURN(const Tensor old, variable.Read(nullptr));
  variable.Assign(Tensor::Scalar<int64_t>(old.scalar<int64_t>() +
                                          ctx.input(1).scalar<int64_t>()));
  return OkStatus();
}

struct Call {
  static StatusOr<Call> Make(const KernelInit& init) {
    Call k;
    MR_ASSIGN_OR_RETURN(const auto function, init.Attr<AttrValue::Func>("f"));
    k.function = *function;
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    auto handle = ctx.step().functions->Instantiate(function);
    if (!handle.ok()) return std::move(done)(handle.status());
    ctx.step().functions->Run(
        ctx, *handle, {ctx.input(0)}, FunctionRunner::Views::kBind,
        [&ctx, done = std::move(done)](Status status,
                                       std::vector<Tensor> outputs) mutable {
          if (status.ok()) ctx.set_output(0, outputs[0]);
          std::move(done)(std::move(status));
        });
  }
  NameAttrList function;
};

}  // namespace test_kernels

inline const KernelTable& TestKernelTable() {
  namespace k = test_kernels;
  static const KernelDecl kDecls[] = {
      {"Switch",
       "CPU",
       {{.make = MakeFunctionKernel<k::Switch>, .cheap = true}}},
      {"Enter", "CPU", {{.make = MakeFunctionKernel<k::Pass>, .cheap = true}}},
      {"Exit", "CPU", {{.make = MakeFunctionKernel<k::Pass>, .cheap = true}}},
      {"NextIteration",
       "CPU",
       {{.make = MakeFunctionKernel<k::Pass>, .cheap = true}}},
      {"Inc", "CPU", {{.make = MakeFunctionKernel<k::Inc>}}},
      {"Tick", "CPU", {{.make = MakeFunctionKernel<k::Tick>}}},
      {"Busy", "CPU", {{.make = MakeFunctionKernel<k::Busy>}}},
      {"Add", "CPU", {{.make = MakeFunctionKernel<k::Add>}}},
      {"Less", "CPU", {{.make = MakeKernel<k::Less>, .cheap = true}}},
      {"Fail", "CPU", {{.make = MakeKernel<k::Fail>}}},
      {"Throw", "CPU", {{.make = MakeKernel<k::Throw>}}},
      {"Wait", "CPU", {{.make = MakeKernel<k::Wait>}}},
      {"Forget", "CPU", {{.make = MakeFunctionKernel<k::Forget>}}},
      {"Put", "CPU", {{.make = MakeKernel<k::Put>}}},
      {"Take", "CPU", {{.make = MakeKernel<k::Take>}}},
      {"_Recv", "CPU", {{.make = MakeKernel<k::Take>}}},
      {"Var", "CPU", {{.make = MakeFunctionKernel<k::Var>, .cheap = true}}},
      {"Get", "CPU", {{.make = MakeFunctionKernel<k::Pass>}}},
      {"SetVar", "CPU", {{.make = MakeFunctionKernel<k::Inc>}}},
      {"AddVar", "CPU", {{.make = MakeFunctionKernel<k::AddVar>}}},
      {"Call", "CPU", {{.make = MakeKernel<k::Call>}}},
      {"OnlyGpu", "GPU", {{.make = MakeFunctionKernel<k::Forget>}}},
  };
  static const KernelTable* const table = [] {
    std::vector<const KernelDecl*> all;
    for (const KernelDecl& decl : kDecls) all.push_back(&decl);
    auto built = KernelTable::Build(all);
    MR_CHECK(built.ok(), built.status().ToString());
    return new KernelTable(*std::move(built));
  }();
  return *table;
}

}  // namespace millrace
