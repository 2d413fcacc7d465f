// LocalPartialRun: a step of a local session whose feeds and fetches come in
// several calls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/exec/local_rendezvous.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/kernel/step_container.h"
#include "millrace/session/prepared.h"

namespace millrace {

// Makes the feeds of a partition's graph what a partial run receives, and its
// fetches what it sends, and adds their keys to `prepared`.
Status SendFetchesOneByOne(const std::string& device, uint64_t incarnation,
                           Graph* graph, LocalSession::Prepared* prepared);

// Returns, for each fetch, the numbers of the feeds on which its value depends.
StatusOr<std::vector<std::vector<int>>> FindNeeds(
    const Graph& graph, const RunSignature& signature);

// Thread-safe. The plans run from the beginning and wait for what is not there
// yet. Kept alive by its plans until they have ended.
class LocalPartialRun : public std::enable_shared_from_this<LocalPartialRun> {
 public:
  // `parent` is the session's scope.
  LocalPartialRun(std::shared_ptr<const LocalSession::Prepared> prepared,
                  std::vector<std::vector<int>> needs, CancelScope* parent);

  // Starts the plans, which hold a reference to this until they have ended.
  void Start(const StepEnvironment& environment, Lanes& lanes);

  // Handles one call: sends feeds and waits for the fetches; the call after
  // which all is fed and fetched, and one with an error, end the run and set
  // `*over`. Returns INVALID_ARGUMENT, and changes nothing, for a feed or fetch
  // that was not announced or came before, and for a fetch that needs a feed
  // which has not come. Blocks.
  Status Run(const std::vector<std::pair<std::string, Tensor>>& feeds,
             const std::vector<std::string>& fetches, CancelScope* cancel,
             std::vector<Tensor>* outputs, bool* over);
  void Cancel(const Status& reason) { scope_.Cancel(reason); }

 private:
  Status Take(const std::vector<std::pair<std::string, Tensor>>& feeds,
              const std::vector<std::string>& fetches,
              std::vector<int>* feed_numbers, std::vector<int>* fetch_numbers,
              bool* last);
  Status Exchange(const std::vector<std::pair<std::string, Tensor>>& feeds,
                  const std::vector<int>& feed_numbers,
                  const std::vector<int>& fetch_numbers,
                  std::vector<Tensor>* outputs);

  const std::shared_ptr<const LocalSession::Prepared> prepared_;
  const std::vector<std::vector<int>> needs_;
  CancelScope scope_;
  StepContainer container_;
  const Ref<LocalRendezvous> rendezvous_;
  StepEnvironment environment_;
  std::vector<Tensor> retvals_;
  CancelScope::Token abort_ = 0;

  Mutex mu_;  // guards all below
  CondVar end_;
  std::vector<bool> fed_, fetched_;
  bool ended_ = false;
  Status status_;
};

}  // namespace millrace
