// How a LocalSession prepares its kinds of runs: what it takes from the graph,
// and the plans that it makes of that.
#include <algorithm>

#include "millrace/base/threads/wait.h"
#include "millrace/exec/constant_evaluator.h"
#include "millrace/pass/fuse_nodes.h"
#include "millrace/session/local_session.h"
#include "millrace/session/partial_run.h"
#include "millrace/session/prepared.h"

namespace millrace {

namespace {

// Returns whether what is fed may be kept beyond the step, or written: by an op
// that says so, in a variant, or in a function that it calls. Variables may:
// they copy memory that is lent.
bool MayKeepInputs(const Node& node) {
  if (node.op->Is(kKeepsInputs) || node.op->Is(kChangesInput)) return true;
  const auto holds = [](DataType type) {
    return RemoveRef(type) == DataType::kVariant;
  };
  return std::any_of(node.output_types.begin(), node.output_types.end(),
                     holds) ||
         std::any_of(node.op->attrs.begin(), node.op->attrs.end(),
                     [](const AttrDef& attr) {
                       return attr.kind == "func" || attr.kind == "list(func)";
                     });
}

}  // namespace

StatusOr<std::shared_ptr<const LocalSession::Prepared>> LocalSession::Prepare(
    const RunSignature& signature) {
  std::vector<std::shared_ptr<const Prepared>> gone;  // freed after the lock
  MutexLock lock(mu_);
  for (;;) {
    const auto found = prepared_.find(signature);
    if (found != prepared_.end()) return found->second;
    if (preparing_.insert(signature).second) break;
    WaitScope wait("local session: the first run of this kind is prepared");
    one_prepared_.Wait(mu_);
  }
  StatusOr<std::shared_ptr<const Prepared>> made = nullptr;
  StatusOr<Parts> parts = Split(signature, /*partial=*/false);
  if (parts.ok()) {
    lock.Unlock();
    made = BuildPlans(*std::move(parts));
    lock.Lock();
  } else {
    made = parts.status();
  }
  preparing_.erase(signature);
  one_prepared_.NotifyAll();  // after an error the next one tries
  MR_ASSIGN_OR_RETURN(const std::shared_ptr<const Prepared> prepared,
                      std::move(made));
  while (prepared_.size() >= options_.max_prepared_runs) {
    gone.push_back(TakeOldest());
    if (gone.back() == nullptr) break;  // other threads hold all of them
  }
  prepared->last_step = next_step_;
  prepared_.emplace(signature, prepared);
  return prepared;
}

std::shared_ptr<const LocalSession::Prepared> LocalSession::TakeOldest() {
  auto oldest = prepared_.end();
  for (auto it = prepared_.begin(); it != prepared_.end(); ++it) {
    if (it->second.use_count() > 1) continue;
    if (oldest == prepared_.end() ||
        it->second->last_step < oldest->second->last_step) {
      oldest = it;
    }
  }
  if (oldest == prepared_.end()) return nullptr;
  std::shared_ptr<const Prepared> taken = std::move(oldest->second);
  prepared_.erase(oldest);
  return taken;
}

StatusOr<LocalSession::Parts> LocalSession::Split(const RunSignature& signature,
                                                  bool partial) {
  Parts parts;
  parts.partial = partial;
  parts.prepared = std::make_shared<Prepared>();
  Prepared& prepared = *parts.prepared;
  prepared.signature = signature;
  SplitOptions options{
      .partition = {.incarnation =
                        [&](absl::string_view device) {
                          const Device* d = FindDevice(device);
                          return d ? d->attributes().incarnation : 0;
                        },
                    .bfloat16_sendrecv = false},
      .rewrites = Rewrites::Of(options_.config.graph_options),
      .evaluate =
          MakeConstantEvaluator(options_.kernels, options_.devices[0].get()),
      .kernels = options_.kernels};
  parts.fuse = options.rewrites.fuse;
  MR_ASSIGN_OR_RETURN(parts.partitions,
                      SplitForRun(graph_.graph(), signature, options));
  for (const std::string& feed : signature.feeds) {
    MR_ASSIGN_OR_RETURN(const OutputRef output,
                        FindOutput(graph_.graph(), feed, "FeedInputs:"));
    prepared.feed_types.push_back(
        RemoveRef(graph_.graph().node(output.node)->output_types[output.port]));
  }
  prepared.functions = std::make_unique<FunctionRuntime>(
      FunctionRuntimeOptions{.ops = options_.ops,
                             .kernels = kernels_.get(),
                             .pool = &options_.devices[0]->lanes().inter_op,
                             .differentiate = options_.differentiate,
                             .targets = targets_});
  prepared.functions->SetLibrary(graph_.library());
  return parts;
}

StatusOr<std::shared_ptr<const LocalSession::Prepared>>
LocalSession::BuildPlans(Parts parts) {
  Prepared& prepared = *parts.prepared;
  std::vector<std::shared_ptr<const Plan>> plans;
  for (Partition& partition : parts.partitions) {
    for (NodeId id = 0; id < partition.graph.num_ids(); ++id) {
      const Node* node = partition.graph.node(id);
      if (node && MayKeepInputs(*node)) prepared.keeps_inputs = true;
    }
    prepared.partition_graphs.push_back(ExportGraphDef(partition.graph));
    if (parts.partial) {
      MR_RETURN_IF_ERROR(SendFetchesOneByOne(
          partition.device,
          FindDevice(partition.device)->attributes().incarnation,
          &partition.graph, &prepared));
    } else if (parts.fuse) {
      MR_RETURN_IF_ERROR(FuseNodes(*options_.kernels, &partition.graph));
    }
    MR_ASSIGN_OR_RETURN(
        auto plan,
        Plan::Build(partition.graph, *FindDevice(partition.device),
                    [&](std::shared_ptr<const NodeInfo> node, Device& device) {
                      return kernels_->Get(std::move(node), device);
                    },
                    {.table = options_.kernels}));
    plans.push_back(std::move(plan));
  }
  MR_ASSIGN_OR_RETURN(prepared.plans, PlanSet::FromPlans(std::move(plans)));
  return std::shared_ptr<const Prepared>(std::move(parts.prepared));
}

}  // namespace millrace
