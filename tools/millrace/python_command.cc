#include "tools/millrace/python_command.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "tools/millrace/exit_codes.h"

namespace millrace {
namespace {

// Returns the folder `python` beside this command if it has the package, as in
// a build folder; otherwise an empty text.
std::string FolderOfPackage() {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (size <= 0) return "";
  std::string folder(self, static_cast<size_t>(size));
  folder.resize(folder.rfind('/'));
  folder += "/python";
  return access((folder + "/millrace/__main__.py").c_str(), R_OK) == 0 ? folder
                                                                       : "";
}

}  // namespace

int RunPython(const PythonFlags& flags) {
  if (flags.program.empty()) {
    std::fprintf(stderr,
                 "millrace python: the script is missing, such as: millrace "
                 "python train.py --steps=100 (millrace python --help lists "
                 "what there is)\n");
    return kUsageError;
  }
  std::string folder = FolderOfPackage();
  if (!folder.empty()) {
    const char* others = std::getenv("PYTHONPATH");
    if (others != nullptr && *others != '\0') {
      folder += ":" + std::string(others);
    }
    setenv("PYTHONPATH", folder.c_str(), 1);
  }
  std::vector<std::string> words = {flags.python, "-m", "millrace"};
  if (!flags.tf.empty()) words.insert(words.end(), {"--tf", flags.tf});
  if (flags.explain) words.push_back("--explain");
  words.insert(words.end(), flags.program.begin(), flags.program.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr,
               "millrace python: cannot run '%s': %s; --python names the "
               "Python that has the package millrace\n",
               flags.python.c_str(),
               std::generic_category().message(errno).c_str());
  return kStartError;
}

}  // namespace millrace
