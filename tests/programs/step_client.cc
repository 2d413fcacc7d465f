// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// A client that tests drive, line by line; step_client.py is its twin on the
// stock client. Commands on stdin, each carried out by a thread of its own:
//
//   ID open SESSION MASTER LOOP WAIT ASIDE NAME TIMEOUT_MS
//       makes a session on the server MASTER (host:port), which is not called
//       yet. Its graph uses the tasks LOOP, WAIT and ASIDE ("/job:ps/task:0")
//       and shares its variables by NAME
//   ID run SESSION FETCH   runs one of
//       init     all variables get their first values; init_gate: one of LOOP
//       loop     on LOOP, multiplies matrices until another step runs `release`
//       wait     on WAIT, needs what `loop` gives
//       aside    on ASIDE, as `loop`, until `release_aside`
//       step     counts on LOOP, gives the count negated on WAIT
//       take     on WAIT, needs an element of a queue on LOOP, which `put`
//       gives
//       join0 to join3, on LOOP, put a 7, negated on WAIT, into a shuffling
//       queue of at most 16, of which 4 stay; batch takes 8 of them and adds
//       them up on WAIT, drain on LOOP; pooled is how many there are
//       near     on the master's own task
//       at_loop, at_wait   on one task
//   ID close SESSION
//   ID reset MASTER CONTAINER   empties the container on all tasks
//
// and on stdout, for each command when it has ended: ID CODE MS TEXT, by tabs;
// TEXT is the value or the message in one line. The end of stdin ends the
// program, without closing anything.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "millrace/base/clock.h"
#include "millrace/base/threads/thread.h"
#include "millrace/client/session.h"
#include "millrace/graph/graph_def.h"

namespace millrace {
namespace {

constexpr int64_t kMatrix = 96;

using Words = std::vector<std::string>;

class GraphOfSteps {
 public:
  explicit GraphOfSteps(const Words& w)
      : loop_(w[4]), wait_(w[5]), aside_(w[6]), name_(w[7]) {
    Const("zero", 0, loop_);
    Const("one", 1, loop_);
    Const("zero_aside", 0, aside_);
    Const("one_aside", 1, aside_);
    Variable("gate", loop_);
    Variable("count", loop_);
    Variable("gate_aside", aside_);
    Assign("init_gate", "gate", "zero", loop_);
    Assign("init_count", "count", "zero", loop_);
    Assign("init_aside", "gate_aside", "zero_aside", aside_);
    Assign("release", "gate", "one", loop_);
    Assign("release_aside", "gate_aside", "one_aside", aside_);
    Add("init", "NoOp", {"^init_gate", "^init_count", "^init_aside"}, {}, "");
    Loop("loop", "gate", "zero", loop_);
    Loop("aside", "gate_aside", "zero_aside", aside_);
    Negated("wait", "loop", wait_);
    Add("counted", "AssignAddVariableOp", {"count", "one"},
        {{"dtype", DataType::kInt32}}, loop_);
    Read("count_now", {"count", "^counted"}, loop_);
    Negated("step", "count_now", wait_);
    const AttrValue::TypeList element = {DataType::kInt32};
    Add("queue", "FIFOQueueV2", {},
        {{"component_types", element},
         {"shared_name", absl::StrCat(name_, "_queue")}},
        loop_);
    Add("put", "QueueEnqueueV2", {"queue", "one"}, {{"Tcomponents", element}},
        loop_);
    Add("taken", "QueueDequeueV2", {"queue"}, {{"component_types", element}},
        loop_);
    Negated("take", "taken", wait_);
    Const("here", 7, "");
    Negated("near", "here", "");
    Const("there", 7, loop_);
    Negated("at_loop", "there", loop_);
    Const("beyond", 7, wait_);
    Negated("at_wait", "beyond", wait_);
    Join();
  }
  const GraphDef& def() const { return def_; }

 private:
  void Add(std::string name, std::string op, std::vector<std::string> inputs,
           AttrMap attrs, const std::string& device) {
    def_.nodes.push_back({std::move(name), std::move(op), std::move(inputs),
                          device, std::move(attrs)});
  }
  void Const(const std::string& name, int32_t value, const std::string& device,
             const std::string& after = "") {
    std::vector<std::string> inputs;
    if (!after.empty()) inputs.push_back("^" + after);
    Add(name, "Const", inputs,
        {{"dtype", DataType::kInt32}, {"value", Tensor::Scalar(value)}},
        device);
  }
  void Variable(const std::string& name, const std::string& device) {
    Add(name, "VarHandleOp", {},
        {{"dtype", DataType::kInt32},
         {"shape", PartialShape({})},
         {"shared_name", absl::StrCat(name_, "_", name)}},
        device);
  }
  void Assign(const std::string& name, const std::string& variable,
              const std::string& value, const std::string& device) {
    Add(name, "AssignVariableOp", {variable, value},
        {{"dtype", DataType::kInt32}}, device);
  }
  void Read(const std::string& name, std::vector<std::string> inputs,
            const std::string& device) {
    Add(name, "ReadVariableOp", std::move(inputs),
        {{"dtype", DataType::kInt32}}, device);
  }
  void Negated(const std::string& name, const std::string& input,
               const std::string& device) {
    Add(name, "Neg", {input}, {{"T", DataType::kInt32}}, device);
  }
  // What shuffle_batch_join makes of four sources.
  void Join() {
    const AttrValue::TypeList element = {DataType::kInt32};
    Add("pool", "RandomShuffleQueueV2", {},
        {{"component_types", element},
         {"shapes", AttrValue::ShapeList{PartialShape({})}},
         {"capacity", int64_t{16}},
         {"min_after_dequeue", int64_t{4}},
         {"shared_name", absl::StrCat(name_, "_pool")}},
        loop_);
    for (int i = 0; i < 4; ++i) {
      const std::string made = absl::StrCat("made", i);
      Negated(made, "beyond", wait_);
      Add(absl::StrCat("join", i), "QueueEnqueueV2", {"pool", made},
          {{"Tcomponents", element}}, loop_);
    }
    Const("batch_size", 8, loop_);
    Add("batched", "QueueDequeueManyV2", {"pool", "batch_size"},
        {{"component_types", element}}, loop_);
    const AttrMap ints = {{"T", DataType::kInt32}, {"Tidx", DataType::kInt32}};
    Const("axis", 0, wait_);
    Add("batch", "Sum", {"batched", "axis"}, ints, wait_);
    Const("loop_axis", 0, loop_);
    Add("drain", "Sum", {"batched", "loop_axis"}, ints, loop_);
    Add("pooled", "QueueSizeV2", {"pool"}, {}, loop_);
  }
  // Counts, and multiplies matrices, while the variable `gate` is zero.
  void Loop(const std::string& name, const std::string& gate,
            const std::string& zero, const std::string& device) {
    const auto in = [&](const char* part) {
      return absl::StrCat(name, "/", part);
    };
    const AttrMap ints = {{"T", DataType::kInt32}};
    const AttrMap floats = {{"T", DataType::kFloat}};
    const auto enter = [&](const char* part, const std::string& input,
                           DataType type, bool constant) {
      Add(in(part), "Enter", {input},
          {{"T", type},
           {"frame_name", name},
           {"is_constant", constant},
           {"parallel_iterations", int64_t{1}}},
          device);
    };
    Add(in("matrix"), "Const", {},
        {{"dtype", DataType::kFloat},
         {"value", Tensor::Zeros(DataType::kFloat, {kMatrix, kMatrix})}},
        device);
    enter("enter", zero, DataType::kInt32, false);
    enter("enter_product", in("matrix"), DataType::kFloat, false);
    enter("factor", in("matrix"), DataType::kFloat, true);
    enter("gate", gate, DataType::kResource, true);
    const AttrMap two_ints = {{"T", DataType::kInt32}, {"N", int64_t{2}}};
    const AttrMap two_floats = {{"T", DataType::kFloat}, {"N", int64_t{2}}};
    Add(in("merge"), "Merge", {in("enter"), in("next")}, two_ints, device);
    Add(in("merge_product"), "Merge", {in("enter_product"), in("next_product")},
        two_floats, device);
    Read(in("read"), {in("gate"), "^" + in("merge")}, device);
    Const(in("closed"), 0, device, in("merge"));
    Add(in("equal"), "Equal", {in("read"), in("closed")}, ints, device);
    Add(in("goes_on"), "LoopCond", {in("equal")}, {}, device);
    Add(in("switch"), "Switch", {in("merge"), in("goes_on")}, ints, device);
    Add(in("switch_product"), "Switch", {in("merge_product"), in("goes_on")},
        floats, device);
    Add(in("body"), "Identity", {in("switch:1")}, ints, device);
    Const(in("one"), 1, device, in("body"));
    Add(in("sum"), "AddV2", {in("body"), in("one")}, ints, device);
    Add(in("product"), "MatMul", {in("switch_product:1"), in("factor")}, floats,
        device);
    Add(in("next"), "NextIteration", {in("sum")}, ints, device);
    Add(in("next_product"), "NextIteration", {in("product")}, floats, device);
    Add(name, "Exit", {in("switch")}, ints, device);
  }

  const std::string loop_, wait_, aside_, name_;
  GraphDef def_;
};

class StepClient {
 public:
  void Take(Words words) {
    threads_.emplace_back("command", [this, words = std::move(words)] {
      const int64_t start = NowNanos();
      const StatusOr<std::string> result = Do(words);
      const std::string text =
          result.ok() ? *result : std::string(result.status().message());
      const std::string line = absl::StrCat(
          words[0], "\t", absl::StatusCodeToString(result.status().code()),
          "\t", (NowNanos() - start) / 1'000'000, "\t", absl::CEscape(text),
          "\n");
      MutexLock lock(mu_);
      std::fputs(line.c_str(), stdout);
      std::fflush(stdout);
    });
  }

 private:
  StatusOr<std::string> Do(const Words& w) {
    if (w.size() == 9 && w[1] == "open") return Open(w);
    if (w.size() == 4 && w[1] == "run") return Run(w[2], w[3]);
    if (w.size() == 3 && w[1] == "close") return Close(w[2]);
    if (w.size() == 4 && w[1] == "reset") return Reset(w[2], w[3]);
    return InvalidArgument("unknown command");
  }

  StatusOr<std::string> Open(const Words& w) {
    const Scope scope = Scope::NewRoot();
    MR_RETURN_IF_ERROR(scope.graph().Import(GraphOfSteps(w).def()));
    SessionOptions options;
    options.target = "grpc://" + w[3];
    if (!absl::SimpleAtoi(w[8], &options.config.operation_timeout_ms)) {
      return InvalidArgument("'", w[8], "' is no time");
    }
    auto session = std::make_shared<Session>(scope, options);
    MutexLock lock(mu_);
    sessions_[w[2]] = std::move(session);
    return std::string("open");
  }

  StatusOr<std::string> Run(const std::string& name, const std::string& what) {
    std::shared_ptr<Session> session;
    {
      MutexLock lock(mu_);
      const auto found = sessions_.find(name);
      if (found == sessions_.end()) return NotFound("no session ", name);
      session = found->second;
    }
    const Operation op = session->graph()->Find(what);
    if (!op) return NotFound("no operation ", what);
    if (op.num_outputs() == 0) {
      MR_RETURN_IF_ERROR(session->RunTargets({op}));
      return std::string("ran");
    }
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                        session->Run(std::vector<Output>{op.output(0)}));
    return absl::StrCat(values[0].scalar<int32_t>());
  }

  StatusOr<std::string> Close(const std::string& name) {
    std::shared_ptr<Session> session;
    {
      MutexLock lock(mu_);
      const auto found = sessions_.find(name);
      if (found == sessions_.end()) return NotFound("no session ", name);
      session = std::move(found->second);
      sessions_.erase(found);
    }
    MR_RETURN_IF_ERROR(session->Close());
    return std::string("closed");
  }

  static StatusOr<std::string> Reset(const std::string& master,
                                     const std::string& container) {
    SessionOptions options;
    options.target = "grpc://" + master;
    // A master that is gone before the call is waited for as one that is late.
    options.connect_timeout_ms = 3'000;
    MR_RETURN_IF_ERROR(Session::Reset(options, {container}));
    return std::string("reset");
  }

  std::vector<Thread> threads_;  // of the thread that reads
  Mutex mu_;                     // guards the sessions and the output
  std::map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace
}  // namespace millrace

int main() {
  auto* client = new millrace::StepClient;  // its threads may still run
  std::puts("ready");
  std::fflush(stdout);
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t n; (n = getline(&line, &room, stdin)) >= 0;) {
    const absl::string_view text(line, static_cast<size_t>(n));
    client->Take(absl::StrSplit(absl::StripSuffix(text, "\n"), ' '));
  }
  std::_Exit(0);
}
