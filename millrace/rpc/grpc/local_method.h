// LocalMethod: a method that every gRPC listener answers by itself; health and
// reflection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/status.h"

namespace millrace {

class LocalMethod {
 public:
  enum class Form {
    kUnary,    // one request, one reply
    kWatched,  // one request, one reply now, LastMessage when the server stops
    kEach,     // a reply to each request
  };
  virtual ~LocalMethod() = default;
  virtual Form form() const = 0;
  // Returns the serialized reply to a serialized request. Thread-safe.
  virtual StatusOr<std::string> Answer(const std::string& request) const = 0;
  // Returns the last message of a kWatched call.
  virtual std::string LastMessage() const { return ""; }
};

// By path, "/grpc.health.v1.Health/Check".
using LocalMethods =
    absl::flat_hash_map<std::string, std::unique_ptr<LocalMethod>>;

// `services` are the full names of the services that are SERVING, such as
// "tensorflow.MasterService".
void AddHealth(const std::vector<std::string>& services, LocalMethods* methods);
void AddReflection(const std::vector<std::string>& services,
                   LocalMethods* methods);

}  // namespace millrace
