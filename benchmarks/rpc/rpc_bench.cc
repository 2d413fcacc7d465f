// Calls between two processes of one machine over gRPC: the latency of an empty
// method, the throughput of concurrent calls, and that of replies that carry a
// tensor.
//
//   ninja -C build/release rpc_bench && build/release/benchmarks/rpc_bench
//
// The server is a child process. Counters: p50_us and p99_us of one call,
// bytes_per_second of payload (each copied once into a reused buffer, like a
// tensor of a caching allocator), threads: of the client.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "millrace/base/machine.h"
#include "millrace/base/threads/thread.h"
#include "millrace/protocol/codec.h"
#include "millrace/protocol/unimplemented_api.h"
#include "millrace/rpc/grpc/grpc_transport.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {
namespace {

std::string* server_address;

class BenchWorker final : public UnimplementedWorker {
 public:
  void GetStatus(CallContext&, const GetStatusRequest&, GetStatusReply*,
                 Done done) override {
    std::move(done)(OkStatus());
  }
  // The key is a number of bytes.
  void RecvTensor(CallContext&, const RecvTensorRequest& request,
                  RecvTensorReply* reply, Done done) override {
    int64_t size = 0;
    if (!absl::SimpleAtoi(request.rendezvous_key, &size)) size = 1;
    MutexLock lock(mu_);
    if (tensor_.num_elements() != size) {
      tensor_ = Tensor::Zeros(DataType::kUint8, {size});
    }
    reply->tensor = tensor_;
    lock.Unlock();
    std::move(done)(OkStatus());
  }

 private:
  Mutex mu_;
  Tensor tensor_;
};

struct OneCall {
  CallContext context;
  ByteChunks reply;
  Status status;
  Notification done;
};

ByteChunks CallAndWait(Caller& caller, MethodId id, const ByteChunks& request) {
  OneCall call;
  caller.Call(GetMethod(id), call.context, request, &call.reply, [&](Status s) {
    call.status = std::move(s);
    call.done.Notify();
  });
  call.done.Wait();
  if (!call.status.ok())
    std::fprintf(stderr, "%s\n", call.status.ToString().c_str());
  return std::move(call.reply);
}

void ReportLatency(std::vector<int64_t> nanos, benchmark::State& state) {
  std::sort(nanos.begin(), nanos.end());
  if (nanos.empty()) return;
  state.counters["p50_us"] = nanos[nanos.size() / 2] * 1e-3;
  state.counters["p99_us"] = nanos[nanos.size() * 99 / 100] * 1e-3;
}

void BM_EmptyCall(benchmark::State& state) {
  const auto transport = MakeGrpcTransport();
  const auto caller = transport->Connect(*server_address);
  CallAndWait(*caller, MethodId::kGetStatus, {});
  std::vector<int64_t> nanos;
  for (auto _ : state) {
    const int64_t start = NowNanos();
    CallAndWait(*caller, MethodId::kGetStatus, {});
    nanos.push_back(NowNanos() - start);
  }
  ReportLatency(std::move(nanos), state);
}
BENCHMARK(BM_EmptyCall)->UseRealTime()->MinTime(2);

// Keeps this many calls in flight.
void BM_CallsInFlight(benchmark::State& state) {
  const auto transport = MakeGrpcTransport();
  const auto caller = transport->Connect(*server_address);
  const int width = static_cast<int>(state.range(0));
  std::vector<OneCall> calls(width);
  for (auto _ : state) {
    Mutex mu;
    CondVar changed;
    int open = width;
    for (OneCall& call : calls) {
      caller->Call(GetMethod(MethodId::kGetStatus), call.context, {},
                   &call.reply, [&](Status) {
                     MutexLock lock(mu);
                     if (--open == 0) changed.NotifyOne();
                   });
    }
    MutexLock lock(mu);
    while (open > 0) changed.Wait(mu);
  }
  state.SetItemsProcessed(state.iterations() * width);
}
BENCHMARK(BM_CallsInFlight)->Arg(64)->UseRealTime();

void BM_TensorReply(benchmark::State& state) {
  const auto transport = MakeGrpcTransport();
  const auto caller = transport->Connect(*server_address);
  RecvTensorRequest request;
  request.rendezvous_key = absl::StrCat(state.range(0));
  const ByteChunks bytes = *Encode(request);
  std::vector<char> buffer(state.range(0) + 4096);
  size_t chunks = 0;
  for (auto _ : state) {
    const ByteChunks reply = CallAndWait(*caller, MethodId::kRecvTensor, bytes);
    ChunkReader(reply).CopyTo(buffer.data(),
                              std::min(reply.size_bytes(), buffer.size()));
    chunks = reply.chunks().size();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  state.counters["chunks"] = static_cast<double>(chunks);
}
BENCHMARK(BM_TensorReply)
    ->Arg(100 << 10)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000)
    ->UseRealTime();

// Serves until the parent's end of `stop` closes.
void ServeUntilClosed(int report, int stop) {
  BenchWorker worker;
  const auto transport = MakeGrpcTransport();
  const auto listener = transport->Listen({}, {.worker = &worker});
  const std::string address =
      listener.ok() ? (*listener)->address() : listener.status().ToString();
  if (write(report, address.data(), address.size()) < 0) return;
  close(report);
  char byte;
  while (read(stop, &byte, 1) > 0) {
  }
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  int report[2], stop[2];
  if (pipe(report) != 0 || pipe(stop) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    close(report[0]);
    close(stop[1]);
    millrace::ServeUntilClosed(report[1], stop[0]);
    _exit(0);
  }
  close(report[1]);
  close(stop[0]);
  std::string address;
  char text[256];
  for (ssize_t n; (n = read(report[0], text, sizeof(text))) > 0;) {
    address.append(text, n);
  }
  millrace::server_address = &address;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  close(stop[1]);
  waitpid(child, nullptr, 0);
  return 0;
}
