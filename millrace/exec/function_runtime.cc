#include "millrace/exec/function_runtime.h"

#include "absl/strings/str_join.h"
#include "millrace/exec/step.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/function/function_body.h"
#include "millrace/graph/function/function_pruning.h"
#include "millrace/graph/function/read_results.h"
#include "millrace/graph/graph_proto.h"

namespace millrace {
namespace {

// The estimated memory of a node in a plan, with its attributes and its kernel.
constexpr int64_t kNodeBytes = 1024;

// Further calls of a function with state share one instance.
constexpr size_t kMaxInstances = 4096;

// Calls run on the caller's stack and end on that of their last node, but every
// nested call at a multiple of this depth starts and ends on a new stack.
constexpr int kCallsPerStack = 16;

// A runtime with kernels of its own.
struct OwnRuntime {
  OwnRuntime(const KernelTable* table, FunctionRuntimeOptions options)
      : kernels(table), runtime(WithKernels(std::move(options), &kernels)) {}
  static FunctionRuntimeOptions WithKernels(FunctionRuntimeOptions options,
                                            KernelCache* kernels) {
    options.kernels = kernels;
    return options;
  }
  KernelCache kernels;
  FunctionRuntime runtime;
};

class LibrarySource final : public FunctionSource,
                            public std::enable_shared_from_this<LibrarySource> {
 public:
  LibrarySource(FunctionRuntimeOptions options,
                std::shared_ptr<const FunctionLibrary> library)
      : table_(&options.kernels->table()),
        options_(std::move(options)),
        library_(std::move(library)) {}

  std::shared_ptr<FunctionRunner> NewRunner() const override {
    auto own = std::make_shared<OwnRuntime>(table_, options_);
    own->kernels.SetLibrary(library_);
    own->runtime.SetLibrary(library_, shared_from_this());
    return {own, &own->runtime};
  }
  const FunctionLibrary& library() const override { return *library_; }
  const OpRegistry& ops() const override { return *options_.ops; }

 private:
  const KernelTable* const table_;
  const FunctionRuntimeOptions options_;  // its kernels may be gone
  const std::shared_ptr<const FunctionLibrary> library_;
};

// Returns the function of a gradient's attribute `f`; null if `function` is
// another one.
StatusOr<AttrValue::Func> Differentiated(const NameAttrList& function) {
  if (function.name != builtin::kSymbolicGradient) return AttrValue::Func();
  MR_ASSIGN_OR_RETURN(AttrValue::Func f,
                      GetAttr<AttrValue::Func>(function.attrs, "f"));
  if (f == nullptr) {
    return InvalidArgument("SymbolicGradient is not given any function");
  }
  return f;
}

// Gives the calls in the body of an instance instances of their own.
void ExtendCallPaths(const NameAttrList& function, Graph* body) {
  const AttrValue* const attr = function.attrs.Find(builtin::kCallPath);
  const auto* const path = attr == nullptr ? nullptr : attr->get<std::string>();
  if (path == nullptr) return;
  for (NodeId id = 0; id < body->num_ids(); ++id) {
    Node* const node = body->node(id);
    if (node == nullptr) continue;
    if ((node->op->role == OpRole::kCall && node->op->Is(kStateful)) ||
        node->IsOp(builtin::kSymbolicGradient)) {
      node->attrs.Set(builtin::kCallPath, absl::StrCat(*path, "/", node->name));
    }
  }
}

// The state of a call until it is done.
struct Call {
  StepEnvironment environment;
  std::vector<Tensor> args;
  std::vector<Tensor> retvals;
  FunctionRunner::RunDone done;
};

}  // namespace

void FunctionRuntime::SetLibrary(std::shared_ptr<const FunctionLibrary> library,
                                 std::shared_ptr<const FunctionSource> source) {
  MutexLock lock(mu_);
  library_ = std::move(library);
  source_ = std::move(source);
}

std::shared_ptr<const FunctionSource> FunctionRuntime::source() {
  MutexLock lock(mu_);
  if (source_ == nullptr) {
    source_ = std::make_shared<LibrarySource>(
        options_, library_ != nullptr
                      ? library_
                      : std::make_shared<const FunctionLibrary>());
  }
  return source_;
}

std::shared_ptr<const FunctionSource> FunctionRuntime::SourceOf(
    std::shared_ptr<const FunctionLibrary> library) {
  return std::make_shared<LibrarySource>(options_, std::move(library));
}

StatusOr<FunctionRunner::Handle> FunctionRuntime::Instantiate(
    const NameAttrList& function) {
  MR_ASSIGN_OR_RETURN(const AttrValue::Func differentiated,
                      Differentiated(function));
  NameAttrList named;
  if (differentiated != nullptr) {
    MutexLock lock(mu_);
    const std::string* const name =
        library_ == nullptr ? nullptr
                            : library_->FindGradient(differentiated->name);
    if (name != nullptr) named = {*name, differentiated->attrs};
    const AttrValue* const path = function.attrs.Find(builtin::kCallPath);
    if (name != nullptr && path != nullptr)
      named.attrs.Set(builtin::kCallPath, *path);
  }
  return Add(named.name.empty() ? function : named, std::nullopt);
}

StatusOr<FunctionRunner::Handle> FunctionRuntime::Instantiate(
    const NameAttrList& function, std::vector<int64_t> read) {
  MR_ASSIGN_OR_RETURN(const AttrValue::Func differentiated,
                      Differentiated(function));
  // A gradient runs whole.
  if (differentiated != nullptr) return Instantiate(function);
  return Add(function, std::move(read));
}

StatusOr<FunctionRunner::Handle> FunctionRuntime::Add(
    NameAttrList called, std::optional<std::vector<int64_t>> read) {
  const std::string suffix =
      read.has_value() ? absl::StrCat("\n\n", absl::StrJoin(*read, ",")) : "";
  std::string key = SerializeAttrValue(called) + suffix;
  MutexLock lock(mu_);
  // The paths of calls of calls may multiply.
  if (functions_.size() >= kMaxInstances && !handles_.contains(key) &&
      called.attrs.Erase(builtin::kCallPath)) {
    key = SerializeAttrValue(called) + suffix;
  }
  if (called.name != builtin::kSymbolicGradient &&
      (library_ == nullptr || library_->Find(called.name) == nullptr)) {
    return NotFound("Function ", called.name, " is not defined.");
  }
  auto [it, added] =
      handles_.try_emplace(key, static_cast<Handle>(functions_.size()));
  if (added) {
    functions_.push_back(std::make_shared<const Instance>(
        Instance{std::move(called), std::move(read)}));
  }
  return it->second;
}

StatusOr<Graph> FunctionRuntime::BodyOf(const Instance& instance,
                                        const FunctionLibrary& library) const {
  const NameAttrList& function = instance.function;
  MR_ASSIGN_OR_RETURN(const AttrValue::Func differentiated,
                      Differentiated(function));
  if (differentiated == nullptr) {
    MR_ASSIGN_OR_RETURN(Graph body,
                        InstantiateFunction(*options_.ops, library, function));
    const FunctionDef& def = *library.Find(function.name);
    if (instance.read.has_value()) {
      MR_RETURN_IF_ERROR(
          KeepReadResults(*instance.read, def.control_ret, &body));
    } else {
      DropUnread(def.control_ret, &body);
    }
    return body;
  }
  if (options_.differentiate == nullptr) {
    return Unimplemented("No gradient of function '", differentiated->name,
                         "': gradients of ops are not known here");
  }
  AttrValue::TypeList types;
  if (auto given = GetAttr<AttrValue::TypeList>(function.attrs, "Tout");
      given.ok()) {
    types = *std::move(given);
  }
  MR_ASSIGN_OR_RETURN(
      Graph body,
      options_.differentiate(*options_.ops, library, *differentiated, types));
  DropUnread({}, &body);
  return body;
}

StatusOr<std::shared_ptr<const Plan>> FunctionRuntime::PlanFor(
    Handle handle, Device& device, SlotMemory slots) {
  if (!device.has_own_memory()) slots = SlotMemory::kByType;  // all the same
  const PlanKey plan_key = {handle, device.name(), slots};
  std::shared_ptr<const Instance> instance;
  std::shared_ptr<const FunctionLibrary> library;
  {
    MutexLock lock(mu_);
    if (handle < 0 || handle >= static_cast<Handle>(functions_.size())) {
      return Internal("function handle ", handle, " is not known");
    }
    const auto it = plans_.find(plan_key);
    if (it != plans_.end()) return it->second;
    instance = functions_[handle];
    library = library_;
  }
  if (library == nullptr) library = std::make_shared<const FunctionLibrary>();
  // Compiled outside the lock, since it may take long; a second plan is
  // dropped.
  const NameAttrList& function = instance->function;
  MR_ASSIGN_OR_RETURN(const AttrValue::Func differentiated,
                      Differentiated(function));
  if (differentiated != nullptr &&
      library->Find(differentiated->name) != nullptr) {
    // Only a body that can run is differentiated.
    MR_ASSIGN_OR_RETURN(const Handle forward, Instantiate(*differentiated));
    MR_RETURN_IF_ERROR(PlanFor(forward, device, slots).status());
  }
  MR_ASSIGN_OR_RETURN(Graph body, BodyOf(*instance, *library));
  ExtendCallPaths(function, &body);
  // Of all instances, however much of them is read, so that their nodes share
  // state.
  const std::string key = SerializeAttrValue(function);
  MR_ASSIGN_OR_RETURN(
      std::shared_ptr<const Plan> plan,
      Plan::Build(body, device,
                  [&](std::shared_ptr<const NodeInfo> node, Device& d) {
                    return options_.kernels->Get(std::move(node), d, library,
                                                 key);
                  },
                  {.table = &options_.kernels->table(), .slots = slots}));
  MutexLock lock(mu_);
  const auto kept = plans_.find(plan_key);
  if (kept != plans_.end()) return kept->second;
  // A call of few bytes may stand for many nodes.
  MR_RETURN_IF_ERROR(charge_.Set(
      charge_.bytes() + kNodeBytes * static_cast<int64_t>(plan->nodes().size()),
      "plans of functions"));
  return plans_.try_emplace(plan_key, std::move(plan)).first->second;
}

StatusOr<FunctionTypes> FunctionRuntime::Compile(Handle handle,
                                                 Device& device) {
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan,
                      PlanFor(handle, device, SlotMemory::kByType));
  FunctionTypes types;
  types.args.resize(static_cast<size_t>(plan->num_args()));
  types.results.resize(static_cast<size_t>(plan->num_retvals()));
  for (const PlanNode& node : plan->nodes()) {
    if (node.kind == NodeKind::kArg) {
      types.args[static_cast<size_t>(node.arg)] = node.info->output_types[0];
    } else if (node.kind == NodeKind::kRetval) {
      types.results[static_cast<size_t>(node.retval)] =
          RemoveRef(node.info->input_types[0]);
    }
  }
  return types;
}

void FunctionRuntime::RunIn(const StepEnvironment& environment, Device& device,
                            Handle handle, std::vector<Tensor> args,
                            Views views, RunDone done) {
  const SlotMemory slots =
      views == Views::kBind ? SlotMemory::kTestable : SlotMemory::kByType;
  Start(environment, device, handle, std::move(args),
        {.slots = slots, .views = views}, std::move(done));
}

void FunctionRuntime::Start(const StepEnvironment& environment, Device& device,
                            Handle handle, std::vector<Tensor> args, Form form,
                            RunDone done) {
  const int depth = environment.call_depth + 1;
  if (depth > kMaxCallDepth) {
    std::move(done)(
        ResourceExhausted("function calls nest deeper than ", kMaxCallDepth,
                          "; is there a recursion without an end?"),
        {});
    return;
  }
  StatusOr<std::shared_ptr<const Plan>> found =
      PlanFor(handle, device, form.slots);
  if (!found.ok()) {
    std::move(done)(found.status(), {});
    return;
  }
  std::shared_ptr<const Plan> plan = *std::move(found);
  if (static_cast<int>(args.size()) != plan->num_args()) {
    std::move(done)(
        InvalidArgument("Expects ", plan->num_args(), " arguments, but ",
                        args.size(), " is provided"),
        {});
    return;
  }
  auto call = std::make_shared<Call>();
  call->environment = environment;
  call->environment.call_depth = depth;
  call->args = std::move(args);
  call->retvals.resize(static_cast<size_t>(plan->num_retvals()));
  call->done = std::move(done);
  const bool fresh_stack = depth % kCallsPerStack == 0;
  auto start = [call, plan = std::move(plan), pool = options_.pool, fresh_stack,
                form] {
    PlanRun run;
    if (form.views == Views::kBind) run.result_views = ResultViews::kBindAtEnd;
    run.ends_when_idle = form.ends_when_idle;
    run.environment = &call->environment;
    run.args = call->args;
    run.retvals = &call->retvals;
    run.pool = pool;
    RunPlan(plan, run, Done([call, pool, fresh_stack](Status status) {
              auto end = [call, status = std::move(status)]() mutable {
                std::move(call->done)(std::move(status),
                                      std::move(call->retvals));
              };
              if (fresh_stack) {
                pool->Schedule(std::move(end));
              } else {
                end();
              }
            }));
  };
  if (fresh_stack) {
    options_.pool->Schedule(std::move(start));
  } else {
    start();
  }
}

void FunctionRuntime::RunOn(const StepEnvironment& environment, Device& here,
                            const std::string& target,
                            const NameAttrList& function,
                            std::vector<DataType> result_types,
                            std::vector<Tensor> args, RunDone done) {
  FunctionTargets* const targets = options_.targets.get();
  Device* device = target == here.name() ? &here : nullptr;
  if (device == nullptr && targets != nullptr) device = targets->Find(target);
  if (device != nullptr) {
    const StatusOr<Handle> handle = Instantiate(function);
    if (!handle.ok()) return std::move(done)(handle.status(), {});
    // Its caller may be on another device, which knows nothing of this one's
    // order.
    return Start(environment, *device, *handle, std::move(args),
                 {.slots = SlotMemory::kHost, .ends_when_idle = true},
                 std::move(done));
  }
  if (targets == nullptr) return std::move(done)(NoFunctionTarget(target), {});
  RemoteFunction remote{target, function, nullptr, std::move(result_types)};
  {
    MutexLock lock(mu_);
    remote.library = library_ != nullptr
                         ? library_
                         : std::make_shared<const FunctionLibrary>();
  }
  targets->RunRemote(environment, remote, std::move(args), std::move(done));
}

}  // namespace millrace
