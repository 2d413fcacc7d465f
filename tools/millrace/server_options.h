// Makes the options of a server from flags, files and the environment.
#pragma once

#include <cstdint>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/log.h"
#include "millrace/cluster/server.h"
#include "tools/millrace/config_file.h"
#include "tools/millrace/server_flags.h"

namespace millrace {

struct ServerSetup {
  // Without transport and tables.
  ServerOptions options;
  // The file from which the cluster will be read, if it does not exist yet or
  // is incomplete; then options have cluster_later.
  std::string cluster_file;
  int64_t memory_limit_bytes = 0;  // 0: the default
  LogLevel log_level = LogLevel::kInfo;
};

// Flags take precedence over `config` (which may be empty), that over
// `tf_config` (the text of TF_CONFIG, may be empty), that over defaults.
// Returns INVALID_ARGUMENT that names the wrong flag and what it accepts.
StatusOr<ServerSetup> MakeServerSetup(const ServerFlags& flags,
                                      const ConfigFile& config,
                                      const std::string& tf_config,
                                      FileSystem* files);

// Parses "8G", "512M", "1.5GiB", "80%" (of `whole`), "1000000".
StatusOr<int64_t> ParseByteSize(absl::string_view text, int64_t whole);

}  // namespace millrace
