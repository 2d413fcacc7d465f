// From flags, files and the environment to the options of a server.
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
  // Where the cluster will stand, if there is no such file yet or it is half
  // written; then options say cluster_later.
  std::string cluster_file;
  int64_t memory_limit_bytes = 0;  // 0: the default
  LogLevel log_level = LogLevel::kInfo;
};

// Flags win over `config` (which may be empty), that over `tf_config` (the text
// of TF_CONFIG, may be empty), that over defaults. INVALID_ARGUMENT names the
// flag that is wrong and what would be right.
StatusOr<ServerSetup> MakeServerSetup(const ServerFlags& flags,
                                      const ConfigFile& config,
                                      const std::string& tf_config,
                                      FileSystem* files);

// "8G", "512M", "1.5GiB", "80%" (of `whole`), "1000000".
StatusOr<int64_t> ParseByteSize(absl::string_view text, int64_t whole);

}  // namespace millrace
