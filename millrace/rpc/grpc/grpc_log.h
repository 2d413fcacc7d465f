// gRPC's own log lines.
#pragma once

namespace millrace {

// gRPC's lines about errors join ours from now on, and its others are dropped.
// What it calls an error comes back to us as a status, with fewer words, so the
// lines count as information.
void RouteGrpcLog();

// Drops what gRPC says on this thread while it lives.
class QuietGrpcLog {
 public:
  QuietGrpcLog();
  ~QuietGrpcLog();
  QuietGrpcLog(const QuietGrpcLog&) = delete;
  QuietGrpcLog& operator=(const QuietGrpcLog&) = delete;
};

}  // namespace millrace
