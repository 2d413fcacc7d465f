// ControlFlowContext: the branch of a conditional or the body of a loop in
// which a program currently builds. What is built there takes values of outside
// through Switch (conditional) or Enter (loop) nodes, which the context adds.
//
// ClientGraph::AddNode hands every node that it adds to the graph's current
// context (ClientGraph::SetControlFlowContext).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "millrace/client/client_graph.h"

namespace millrace {

class CondContext;
class WhileContext;

// Where and how a context adds nodes of its own.
struct ContextPlace {
  std::string scope;  // prefix of names: "" or "a/b/"
  const DeviceBlock* devices = nullptr;
  std::string device;  // overrides the blocks unless empty
  std::vector<std::string> colocation;
  // The control dependencies that are in force. An Enter waits for those of
  // them that are outside of its loop.
  std::vector<Operation> control_inputs;
};

// Contexts nest. A context belongs to one graph, which keeps it alive while any
// of its nodes names it. Not thread-safe: one thread at a time builds in a
// graph with contexts.
class ControlFlowContext
    : public std::enable_shared_from_this<ControlFlowContext> {
 public:
  enum class Kind { kCond, kWhile };
  using Ptr = std::shared_ptr<ControlFlowContext>;

  virtual ~ControlFlowContext();
  ControlFlowContext(const ControlFlowContext&) = delete;
  ControlFlowContext& operator=(const ControlFlowContext&) = delete;

  Kind kind() const { return kind_; }
  ClientGraph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  // The context around this one; null: the graph itself.
  const Ptr& outer() const { return outer_; }
  void set_outer(Ptr outer) { outer_ = std::move(outer); }

  // The names of all tensors that are known inside, and what stands inside for
  // a tensor of outside, by that one's name.
  const absl::flat_hash_set<std::string>& values() const { return values_; }
  const absl::flat_hash_map<std::string, Output>& external_values() const {
    return external_values_;
  }
  void AddName(const std::string& name) { values_.insert(name); }
  void AddExternal(const std::string& name, const Output& inside) {
    external_values_[name] = inside;
  }

  // Returns what stands for `value` inside: itself, if it is inside.
  virtual StatusOr<Output> AddValue(const Output& value,
                                    const ContextPlace& place) = 0;
  // Takes in a node that has just been added: replaces inputs that are outside,
  // and lets a node that nothing ties to this context wait for its pivot.
  // Returns INVALID_ARGUMENT if an input is inside of a loop that this context
  // is not in.
  Status AddOp(const Operation& op, const ContextPlace& place);

  // Returns the innermost loop from this context outwards; null if there is
  // none.
  WhileContext* enclosing_while();
  bool IsInside(const ControlFlowContext* outer) const;  // or is the same

  // Returns an op that runs if and when what is inside runs; null while there
  // is none.
  virtual Output control_pivot() const = 0;

 protected:
  ControlFlowContext(Kind kind, ClientGraph* graph, std::string name,
                     Ptr outer);

  virtual Status TakeIn(const Operation& op, const ContextPlace& place) = 0;
  // Returns whether `value` was made in this context or in one inside of it.
  bool IsMadeInside(const Output& value) const;
  Status ReplaceInputs(const Operation& op, const ContextPlace& place);
  // Removes the control inputs that are in other loops. Returns them.
  std::vector<Operation> RemoveForeignControlInputs(const Operation& op);
  bool IsCall(const Operation& op) const;

  ClientGraph& graph_;
  absl::flat_hash_set<std::string> values_;
  absl::flat_hash_map<std::string, Output> external_values_;

 private:
  const Kind kind_;
  const std::string name_;
  Ptr outer_;
};

// One branch of a conditional.
class CondContext final : public ControlFlowContext {
 public:
  // `pred` is the condition, `pivot` an output that is alive if branch `branch`
  // (0 or 1) is taken; both are outside, and the pivot counts as inside. The
  // context around is `outer`. The name is used unchanged.
  static std::shared_ptr<CondContext> Make(const std::string& name,
                                           const Output& pred,
                                           const Output& pivot, int branch,
                                           Ptr outer);

  const Output& pred() const { return pred_; }
  const Output& pivot() const { return pivot_; }
  int branch() const { return branch_; }

  StatusOr<Output> AddValue(const Output& value,
                            const ContextPlace& place) override;
  Output control_pivot() const override { return pivot_; }

  // Returns what stands for `value`, a result of the branch.
  StatusOr<Output> AddResult(const Output& value, const ContextPlace& place);

 private:
  CondContext(ClientGraph* graph, const std::string& name, const Output& pred,
              const Output& pivot, int branch, Ptr outer);
  Status TakeIn(const Operation& op, const ContextPlace& place) override;
  // Returns whether `value` is alive if the other branch is taken: the other
  // output of a Switch by which this context took a value in.
  bool IsOfOtherBranch(const Output& value) const;
  // Returns a new Switch's output for `value`, which is right outside.
  StatusOr<Output> SwitchIn(const Output& value, const ContextPlace& place);

  const Output pred_;
  const Output pivot_;
  const int branch_;
};

// A while loop: its condition and its body.
class WhileContext final : public ControlFlowContext {
 public:
  struct Options {
    int64_t parallel_iterations = 10;
    bool back_prop = true;  // whether gradients go back through the loop
    bool swap_memory = false;
    Output maximum_iterations;  // may be null
  };
  // The name, which is also that of the frame, is used unchanged.
  static std::shared_ptr<WhileContext> Make(const std::string& name,
                                            ClientGraph* graph,
                                            const Options& options, Ptr outer);

  const Options& options() const { return options_; }
  // The parts of the loop; null or empty while they are not there yet.
  const Output& pivot() const { return pivot_; }  // of the LoopCond
  const Output& pivot_for_pred() const { return pivot_for_pred_; }
  const Output& pivot_for_body() const { return pivot_for_body_; }
  const std::vector<Output>& loop_enters() const { return loop_enters_; }
  const std::vector<Output>& loop_exits() const { return loop_exits_; }
  void set_pivot(const Output& o) { pivot_ = o; }
  void set_pivot_for_pred(const Output& o) { pivot_for_pred_ = o; }
  void set_pivot_for_body(const Output& o) { pivot_for_body_ = o; }
  void set_loop_exits(std::vector<Output> o) { loop_exits_ = std::move(o); }

  StatusOr<Output> AddValue(const Output& value,
                            const ContextPlace& place) override;
  Output control_pivot() const override {
    return pivot_for_body_ ? pivot_for_body_ : pivot_for_pred_;
  }

  // Makes `enters`, the Enters of the loop variables, what the loop begins
  // with: they belong to the loop, and each waits for its `control_inputs` that
  // are outside of it. From then on only they are known inside.
  void Begin(std::vector<Output> enters,
             absl::Span<const std::vector<Operation>> control_inputs = {});
  // For a context that is read from a file.
  void Restore(std::vector<Output> enters) { loop_enters_ = std::move(enters); }

 private:
  WhileContext(ClientGraph* graph, const std::string& name,
               const Options& options, Ptr outer);
  Status TakeIn(const Operation& op, const ContextPlace& place) override;
  bool NeedsPivot(const Operation& op) const;
  void TakeEnter(const Output& enter,
                 absl::Span<const Operation> control_inputs);

  const Options options_;
  Output pivot_, pivot_for_pred_, pivot_for_body_;
  std::vector<Output> loop_enters_, loop_exits_;
};

// Returns the context in which an op's outputs are: that of an Exit is around
// its loop. Null: the graph itself.
ControlFlowContext* OutputContext(const Operation& op);

// Returns an error if `op` may not have `input` as an input, since that is
// inside of a loop that `op` is not in.
Status CheckInputContext(const Operation& op, const Operation& input);

}  // namespace millrace
