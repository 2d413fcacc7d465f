#include "tests/gpu/standin/compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "tests/gpu/standin/prelude_text.h"
#include "tests/gpu/standin/rewrite.h"
#include "tests/gpu/standin/settings.h"

extern char** environ;

namespace millrace::cuda::standin {
namespace {

std::vector<std::string> Flags() {
  std::vector<std::string> flags = {"-std=gnu++17",
                                    "-O1",
                                    "-fPIC",
                                    "-w",
                                    "-fno-exceptions",
                                    "-fno-rtti",
                                    "-fno-asynchronous-unwind-tables",
                                    "-fno-math-errno",
                                    "-fno-strict-aliasing",
                                    "-fvisibility=hidden",
                                    "-fsanitize-undefined-trap-on-error"};
  const auto add = [&](std::initializer_list<const char*> more) {
    flags.insert(flags.end(), more.begin(), more.end());
  };
  if (FusesMultiplyAdds()) {
    // -O1 leaves products and sums apart by itself, and all do where checks of
    // addresses lie between them.
    add({"-ffp-contract=fast", "-fexpensive-optimizations"});
#if defined(__x86_64__)
    add({"-mfma"});
#endif
    return flags;
  }
  add({"-ffp-contract=off"});
#if defined(__x86_64__)
  add({"-mno-fma"});
#endif
  // A misaligned access ends the kernel by a trap (faults.cc).
#if defined(__SANITIZE_ADDRESS__)
  add({"-fsanitize=address,alignment", "-g1"});
#elif defined(__SANITIZE_THREAD__)
  add({"-fsanitize=thread", "-g1"});
#else
  add({"-fsanitize=alignment"});
#endif
  return flags;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : "/tmp") +
            "/millrace_standin_XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    for (const char* name : {"in.cc", "out.ii", "out.so", "log"})
      unlink(File(name).c_str());
    rmdir(path_.c_str());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string File(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

bool WriteFile(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  return out.good();
}

bool ReadFile(const std::string& path, std::string* content) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  std::ostringstream text;
  text << in.rdbuf();
  *content = text.str();
  return true;
}

// Runs the compiler; its messages go to `log`. Returns whether it succeeded.
bool RunCompiler(std::vector<std::string> arguments, const std::string& log) {
  arguments.insert(arguments.begin(), Variable("CXX", "g++"));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // What is for this process is not for the compiler.
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0)
      environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr,
                                  argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    WriteFile(log, "there is no " + arguments[0] + " to compile with\n");
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Two hashes of 64 bits, as FNV-1a with different bases.
std::string HashOf(const std::string& text) {
  uint64_t a = 0xcbf29ce484222325ull, b = 0x84222325cbf29ce4ull;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    b = (b ^ static_cast<unsigned char>(c)) * 0x10000000233ull;
  }
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%016llx%016llx",
                static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return digits;
}

std::string CacheFolder() {
  std::string folder = Variable("CACHE", "");
  if (!folder.empty()) return folder;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&CacheFolder), &info) == 0) return "";
  folder = info.dli_fname;
  const size_t slash = folder.rfind('/');
  return slash == std::string::npos ? "" : folder.substr(0, slash) + "/cache";
}

// Files appear whole: several processes may write the same one.
void StoreInCache(const std::string& folder, const std::string& path,
                  const std::string& library) {
  if (folder.empty()) return;
  mkdir(folder.c_str(), 0777);
  std::string temporary = folder + "/new_XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return;
  close(file);
  if (!WriteFile(temporary, library) ||
      rename(temporary.c_str(), path.c_str()) != 0)
    unlink(temporary.c_str());
}

}  // namespace

Compiled CompileDeviceText(const std::string& text,
                           const std::vector<std::string>& options) {
  const std::string whole =
      std::string(PreludeText()) + "\n#line 1 \"device text\"\n" + text;
  const std::vector<std::string> flags = Flags();
  std::string key = whole;
  for (const auto* list : {&flags, &options}) {
    for (const std::string& flag : *list) key += "\n" + flag;
  }
  const std::string folder = CacheFolder();
  const std::string cached = folder + "/" + HashOf(key) + ".so";
  Compiled result;
  if (!folder.empty() && ReadFile(cached, &result.library)) {
    result.ok = true;
    return result;
  }
  const TemporaryFolder work;
  const std::string log = work.File("log");
  std::vector<std::string> arguments = options;
  arguments.insert(arguments.end(),
                   {"-E", "-w", "-std=gnu++17", "-DMILLRACE_GPU_STAND_IN=1",
                    work.File("in.cc"), "-o", work.File("out.ii")});
  std::string preprocessed;
  std::vector<std::string> entries;
  bool ok = WriteFile(work.File("in.cc"), whole) &&
            RunCompiler(arguments, log) &&
            ReadFile(work.File("out.ii"), &preprocessed);
  if (ok) {
    std::string code = RewriteDeviceText(preprocessed, &entries);
    code += ModuleDefinition(entries);
    arguments = flags;
    arguments.insert(arguments.end(),
                     {"-fpreprocessed", "-shared", "-nostdlib",
#ifdef MILLRACE_STANDIN_MOLD
                      "-fuse-ld=mold",
#endif
                      "-x", "c++-cpp-output", work.File("out.ii"), "-x", "none",
                      "-lgcc", "-o", work.File("out.so")});
    ok = WriteFile(work.File("out.ii"), code) && RunCompiler(arguments, log) &&
         ReadFile(work.File("out.so"), &result.library);
  }
  result.ok = ok;
  ReadFile(log, &result.log);
  if (ok) StoreInCache(folder, cached, result.library);
  return result;
}

}  // namespace millrace::cuda::standin
