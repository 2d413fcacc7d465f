#include "tools/millrace/run_command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tools/millrace/exit_codes.h"

namespace millrace {
namespace {

// Runs the text behind the descriptor that the first argument names. It is not
// a script of its own, so that it has its text, which processes spawned by the
// user's script need; and no argument, so that lists of processes stay short.
constexpr char kStart[] =
    "import sys\n"
    "with open(int(sys.argv.pop(1)), encoding='utf-8') as f: "
    "SOURCE = f.read()\n"
    "exec(compile(SOURCE, 'millrace run', 'exec'))";

// Returns a descriptor from which Python, which inherits it, reads kRunScript;
// -1 and errno if there is none.
int DescriptorOfScript() {
  const int fd = memfd_create("millrace run", 0);
  if (fd < 0) return -1;
  absl::string_view left = kRunScript;
  while (!left.empty()) {
    const ssize_t written = write(fd, left.data(), left.size());
    if (written < 0) return -1;
    left.remove_prefix(static_cast<size_t>(written));
  }
  return lseek(fd, 0, SEEK_SET) < 0 ? -1 : fd;
}

int FailToStart(const char* what) {
  std::fprintf(stderr, "millrace run: %s: %s\n", what,
               std::generic_category().message(errno).c_str());
  return kStartError;
}

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
  if (size < 0) return FailToStart("/proc/self/exe");
  self[size] = '\0';
  const int source = DescriptorOfScript();
  if (source < 0) return FailToStart("its program for Python");
  std::vector<std::string> words = {
      flags.python,           "-c", kStart,
      std::to_string(source), self, std::to_string(flags.server_flags.size())};
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
