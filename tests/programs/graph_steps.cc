// Rooms: client session protocol ops.grad ops.cpu ops.gpu ops.op
// Runs graphs of others in local sessions of the C++ client, for the random
// programs of tests/fuzz/programs.
//
// Messages come on stdin and go to stdout, each after a line: its kind, a
// space, the number of its bytes.
//   session N   a CreateSessionRequest: a new session with the graph, in place
//               of the one before. Answered by `ok 0` or `failed N` with text
//   step N      a RunStepRequest: a run. Answered by `done N`, a RunStepReply
//               whose status is the run's
// The end of stdin ends the program.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/session.h"
#include "millrace/protocol/codec.h"

namespace millrace {
namespace {

struct Message {
  std::string kind;
  std::string bytes;
};

bool ReadMessage(Message* message) {
  char kind[16];
  size_t size = 0;
  if (std::scanf("%15s %zu", kind, &size) != 2 || std::getchar() != '\n') {
    return false;
  }
  message->kind = kind;
  message->bytes.resize(size);
  return std::fread(message->bytes.data(), 1, size, stdin) == size;
}

void Write(const char* kind, const std::string& bytes) {
  std::printf("%s %zu\n", kind, bytes.size());
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
}

class Steps {
 public:
  Status Open(const std::string& bytes) {
    session_ = nullptr;
    scope_ = std::make_unique<Scope>(Scope::NewRoot());
    CreateSessionRequest request;
    MR_RETURN_IF_ERROR(Decode(ByteChunks(bytes), &request));
    MR_RETURN_IF_ERROR(scope_->graph().Import(request.graph_def));
    session_ = std::make_unique<Session>(
        *scope_, SessionOptions{.config = std::move(request.config)});
    return OkStatus();
  }

  StatusOr<RunStepReply> Run(const std::string& bytes) {
    RunStepRequest request;
    MR_RETURN_IF_ERROR(Decode(ByteChunks(bytes), &request));
    if (session_ == nullptr) return FailedPrecondition("There is no session");
    const ClientGraph& graph = scope_->graph();
    std::vector<Feed> feeds;
    for (const auto& [name, value] : request.feeds) {
      MR_ASSIGN_OR_RETURN(Output tensor, graph.FindOutput(name));
      feeds.push_back({tensor, value});
    }
    std::vector<Output> fetches;
    for (const std::string& name : request.fetches) {
      MR_ASSIGN_OR_RETURN(Output tensor, graph.FindOutput(name));
      fetches.push_back(tensor);
    }
    std::vector<ControlInput> targets;
    for (const std::string& name : request.targets) {
      targets.emplace_back(graph.Find(name));
    }
    MR_ASSIGN_OR_RETURN(std::vector<Tensor> values,
                        session_->Run(feeds, fetches, targets));
    RunStepReply reply;
    for (size_t i = 0; i < values.size(); ++i) {
      reply.tensors.push_back({request.fetches[i], std::move(values[i])});
    }
    return reply;
  }

 private:
  std::unique_ptr<Scope> scope_;
  std::unique_ptr<Session> session_;
};

int Main() {
  Steps steps;
  Message message;
  while (ReadMessage(&message)) {
    if (message.kind == "session") {
      const Status status = steps.Open(message.bytes);
      Write(status.ok() ? "ok" : "failed",
            status.ok() ? "" : status.ToString());
      continue;
    }
    StatusOr<RunStepReply> reply = steps.Run(message.bytes);
    if (!reply.ok()) {
      RunStepReply failed;
      failed.status = reply.status();
      reply = std::move(failed);
    }
    const StatusOr<ByteChunks> bytes = Encode(*reply);
    if (!bytes.ok()) {
      std::fprintf(stderr, "%s\n", bytes.status().ToString().c_str());
      return 1;
    }
    Write("done", bytes->Flatten());
  }
  return 0;
}

}  // namespace
}  // namespace millrace

int main() { return millrace::Main(); }
