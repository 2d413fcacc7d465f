#include "tools/millrace/run_command.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <system_error>

#include "absl/strings/match.h"
#include "tools/millrace/exit_codes.h"

namespace millrace {
namespace {

// kRunScript is passed as an argument and not as a script, so that it has its
// own text, which processes spawned by the user's script need.
constexpr char kStart[] =
    "import sys; SOURCE = sys.argv.pop(1); "
    "exec(compile(SOURCE, 'millrace run', 'exec'))";

}  // namespace

std::vector<std::string> ServerFlagsOf(const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--python") {
      ++i;
    } else if (words[i] != "--" && !absl::StartsWith(words[i], "--python=")) {
      flags.push_back(words[i]);
    }
  }
  return flags;
}

int RunScript(const RunFlags& flags) {
  if (flags.script.empty()) {
    std::fprintf(stderr,
                 "millrace run: the script is missing, such as: millrace run "
                 "train.py --job_name=ps (millrace run --help lists what there "
                 "is)\n");
    return kUsageError;
  }
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (size < 0) {
    std::fprintf(stderr, "millrace run: /proc/self/exe: %s\n",
                 std::generic_category().message(errno).c_str());
    return kStartError;
  }
  self[size] = '\0';
  std::vector<std::string> words = {
      flags.python, "-c", kStart,
      kRunScript,   self, std::to_string(flags.server_flags.size())};
  words.insert(words.end(), flags.server_flags.begin(),
               flags.server_flags.end());
  words.insert(words.end(), flags.script.begin(), flags.script.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr,
               "millrace run: cannot run '%s': %s; --python names the Python "
               "that has TensorFlow\n",
               flags.python.c_str(),
               std::generic_category().message(errno).c_str());
  return kStartError;
}

}  // namespace millrace
