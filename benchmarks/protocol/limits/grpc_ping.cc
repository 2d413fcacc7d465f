// Lower bound of a gRPC C++ unary call on loopback: generic (bytes in, bytes
// out) service, one process as server, one as client. Latency of a 16-byte
// call, and GB/s of a call answered with 1 MB / 100 MB.
//   c++ -O2 -std=c++17 grpc_ping.cc -o grpc_ping $(pkg-config --cflags --libs
//   grpc++)
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using grpc::ByteBuffer;
static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static void report(const char* name, const char* unit, std::vector<double> v) {
  std::sort(v.begin(), v.end());
  printf(
      "{\"case\": \"limits\", \"metric\": \"%s\", \"servers\": \"machine\", "
      "\"unit\": \"%s\", \"better\": \"%s\", "
      "\"median\": %.4g, \"min\": %.4g, \"max\": %.4g, \"n\": %zu, "
      "\"samples\": [",
      name, unit,
      std::string(unit).find("/s") != std::string::npos ? "more" : "less",
      v[v.size() / 2], v.front(), v.back(), v.size());
  for (size_t i = 0; i < v.size(); i++) printf("%s%.5g", i ? ", " : "", v[i]);
  printf("]}\n");
}

// The request gives, in decimal, the number of bytes of the reply. The reply
// refers to one standing buffer: no copy.
static grpc::Slice payload(size_t n) {
  static std::string store(100000000, 'x');
  return grpc::Slice(store.data(), n, grpc::Slice::STATIC_SLICE);
}
static ByteBuffer answer_to(ByteBuffer& request) {
  std::vector<grpc::Slice> in;
  (void)request.Dump(&in);
  std::string text;
  for (auto& s : in)
    text.append(reinterpret_cast<const char*>(s.begin()), s.size());
  grpc::Slice s = payload(strtoul(text.c_str(), nullptr, 10));
  return ByteBuffer(&s, 1);
}

// One call of the completion-queue server, built like TensorFlow's services.
struct Call {
  grpc::GenericServerContext ctx;
  grpc::GenericServerAsyncReaderWriter io{&ctx};
  ByteBuffer in;
  int state = 0;
};
static void serve_queue(const std::string& address) {
  grpc::AsyncGenericService service;
  grpc::ServerBuilder b;
  b.AddListeningPort(address, grpc::InsecureServerCredentials());
  b.SetMaxReceiveMessageSize(-1);
  b.RegisterAsyncGenericService(&service);
  auto cq = b.AddCompletionQueue();
  auto server = b.BuildAndStart();
  auto next = [&] {
    auto* c = new Call;
    service.RequestCall(&c->ctx, &c->io, cq.get(), cq.get(), c);
  };
  next();
  void* tag;
  bool ok;
  while (cq->Next(&tag, &ok)) {
    Call* c = static_cast<Call*>(tag);
    if (c->state == 0) {
      if (!ok) {
        delete c;
        continue;
      }
      next();
      c->state = 1;
      c->io.Read(&c->in, c);
    } else if (c->state == 1) {
      c->state = 2;
      ByteBuffer out = answer_to(c->in);
      c->io.WriteAndFinish(out, grpc::WriteOptions(), grpc::Status::OK, c);
    } else {
      delete c;
    }
  }
}

static void call(grpc::GenericStub& stub, grpc::CompletionQueue& cq, size_t n) {
  grpc::ClientContext ctx;
  grpc::Slice s(std::to_string(n) + "               ");
  ByteBuffer in(&s, 1), out;
  grpc::Status status;
  auto rpc = stub.PrepareUnaryCall(&ctx, "/bench/Ping", in, &cq);
  rpc->StartCall();
  rpc->Finish(&out, &status, &ctx);
  void* tag;
  bool ok;
  cq.Next(&tag, &ok);
  if (!status.ok() || out.Length() != n) {
    fprintf(stderr, "%s\n", status.error_message().c_str());
    exit(1);
  }
}

int main(int argc, char** argv) {
  if (argc > 2) {
    serve_queue(argv[2]);
    return 0;
  }
  std::string address =
      "127.0.0.1:" + std::string(argc > 1 ? argv[1] : "50771");
  pid_t server = fork();
  if (server == 0) {
    execl(argv[0], argv[0], "serve", address.c_str(), nullptr);
    _exit(1);
  }
  {
    grpc::ChannelArguments args;
    args.SetMaxReceiveMessageSize(-1);
    auto channel = grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), args);
    channel->WaitForConnected(std::chrono::system_clock::now() +
                              std::chrono::seconds(10));
    grpc::GenericStub stub(channel);
    grpc::CompletionQueue cq;
    std::vector<double> p50, p99;
    for (int r = -1; r < 5; r++) {
      std::vector<double> v;
      for (int i = 0; i < 3000; i++) {
        double t = now();
        call(stub, cq, 16);
        v.push_back((now() - t) * 1e6);
      }
      std::sort(v.begin(), v.end());
      if (r >= 0) p50.push_back(v[1500]), p99.push_back(v[2970]);
    }
    report("grpc_cpp_unary_16B.p50", "us", p50);
    report("grpc_cpp_unary_16B.p99", "us", p99);
    for (size_t n : {1000000ul, 100000000ul}) {
      std::vector<double> v;
      int k = n > 10000000 ? 3 : 100;
      for (int r = -1; r < 7; r++) {
        double t = now();
        for (int i = 0; i < k; i++) call(stub, cq, n);
        if (r >= 0) v.push_back(n * k / 1e9 / (now() - t));
      }
      report(n > 10000000 ? "grpc_cpp_fetch_100MB" : "grpc_cpp_fetch_1MB",
             "GB/s", v);
    }
  }
  kill(server, 9);
  waitpid(server, nullptr, 0);
  return 0;
}
