#include "millrace/exec/function_runtime.h"

#include "millrace/exec/step.h"
#include "millrace/graph/function_body.h"

namespace millrace {
namespace {

// The estimated memory of a node in a plan, with its attributes and its kernel.
constexpr int64_t kNodeBytes = 1024;

// Calls run on the caller's stack and end on that of their last node, but every
// nested call at a multiple of this depth starts and ends on a new stack.
constexpr int kCallsPerStack = 16;

std::string CacheKey(const NameAttrList& function) {
  std::string key = function.name;
  for (const auto& [name, value] : function.attrs) {
    absl::StrAppend(&key, "\n", name, "=", value.DebugString());
  }
  return key;
}

// A runtime with kernels of its own.
struct OwnRuntime {
  OwnRuntime(const OpRegistry* ops, const KernelTable* table, TaskQueue* pool)
      : kernels(table), runtime(ops, &kernels, pool) {}
  KernelCache kernels;
  FunctionRuntime runtime;
};

class LibrarySource final : public FunctionSource,
                            public std::enable_shared_from_this<LibrarySource> {
 public:
  LibrarySource(const OpRegistry* ops, const KernelTable* table,
                TaskQueue* pool, std::shared_ptr<const FunctionLibrary> library)
      : ops_(ops), table_(table), pool_(pool), library_(std::move(library)) {}

  std::shared_ptr<FunctionRunner> NewRunner() const override {
    auto own = std::make_shared<OwnRuntime>(ops_, table_, pool_);
    own->kernels.SetLibrary(library_);
    own->runtime.SetLibrary(library_, shared_from_this());
    return {own, &own->runtime};
  }

 private:
  const OpRegistry* const ops_;
  const KernelTable* const table_;
  TaskQueue* const pool_;
  const std::shared_ptr<const FunctionLibrary> library_;
};

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
        ops_, &kernels_->table(), pool_,
        library_ != nullptr ? library_
                            : std::make_shared<const FunctionLibrary>());
  }
  return source_;
}

StatusOr<FunctionRunner::Handle> FunctionRuntime::Instantiate(
    const NameAttrList& function) {
  const std::string key = CacheKey(function);
  MutexLock lock(mu_);
  if (library_ == nullptr || library_->Find(function.name) == nullptr) {
    return NotFound("Function ", function.name, " is not defined.");
  }
  auto [it, added] =
      handles_.try_emplace(key, static_cast<Handle>(functions_.size()));
  if (added)
    functions_.push_back(std::make_shared<const NameAttrList>(function));
  return it->second;
}

StatusOr<std::shared_ptr<const Plan>> FunctionRuntime::PlanFor(Handle handle,
                                                               Device& device) {
  std::shared_ptr<const NameAttrList> function;
  std::shared_ptr<const FunctionLibrary> library;
  {
    MutexLock lock(mu_);
    if (handle < 0 || handle >= static_cast<Handle>(functions_.size())) {
      return Internal("function handle ", handle, " is not known");
    }
    const auto it = plans_.find({handle, device.name()});
    if (it != plans_.end()) return it->second;
    function = functions_[handle];
    library = library_;
  }
  // Compiled outside the lock, since it may take long; a second plan is
  // dropped.
  MR_ASSIGN_OR_RETURN(const Graph body,
                      InstantiateFunction(*ops_, *library, *function));
  MR_ASSIGN_OR_RETURN(
      std::shared_ptr<const Plan> plan,
      Plan::Build(body, device,
                  [&](std::shared_ptr<const NodeInfo> node, Device& d) {
                    return kernels_->Get(std::move(node), d, library);
                  }));
  MutexLock lock(mu_);
  const auto kept = plans_.find({handle, device.name()});
  if (kept != plans_.end()) return kept->second;
  // A call of few bytes may stand for many nodes.
  MR_RETURN_IF_ERROR(charge_.Set(
      charge_.bytes() + kNodeBytes * static_cast<int64_t>(plan->nodes().size()),
      "plans of functions"));
  return plans_.try_emplace({handle, device.name()}, std::move(plan))
      .first->second;
}

StatusOr<FunctionTypes> FunctionRuntime::Compile(Handle handle,
                                                 Device& device) {
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan,
                      PlanFor(handle, device));
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
  const int depth = environment.call_depth + 1;
  if (depth > kMaxCallDepth) {
    std::move(done)(
        ResourceExhausted("function calls nest deeper than ", kMaxCallDepth,
                          "; is there a recursion without an end?"),
        {});
    return;
  }
  StatusOr<std::shared_ptr<const Plan>> plan = PlanFor(handle, device);
  if (!plan.ok()) {
    std::move(done)(plan.status(), {});
    return;
  }
  auto call = std::make_shared<Call>();
  call->environment = environment;
  call->environment.call_depth = depth;
  call->args = std::move(args);
  call->retvals.resize((*plan)->num_retvals());
  call->done = std::move(done);
  const bool fresh_stack = depth % kCallsPerStack == 0;
  const bool bind = views == Views::kBind;
  auto start = [call, plan = *std::move(plan), pool = pool_, fresh_stack,
                bind] {
    PlanRun run;
    if (bind) run.result_views = ResultViews::kBindAtEnd;
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
    pool_->Schedule(std::move(start));
  } else {
    start();
  }
}

}  // namespace millrace
