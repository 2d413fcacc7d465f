#include "tests/simulation/seed_runner.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/base/clock.h"
#include "millrace/base/machine.h"
#include "tests/simulation/replica_training.h"
#include "tests/simulation/seed_totals.h"

namespace millrace::sim {
namespace {

constexpr int kMaxJobs = 64;
constexpr int64_t kProgressMs = 20'000;
// In real time; most seeds take less than a second, ten under a sanitizer. A
// seed that spins or blocks outside of simulated time would hang forever.
constexpr int64_t kMaxMsOfSeed = 300'000;

// State that the processes share.
struct Shared {
  std::atomic<int64_t> next{0};  // seed, from the first on
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> running[kMaxJobs] = {};  // seed of each process
  SeedTotals totals;
};

void PrintFailure(const SeedRange& range, uint64_t seed,
                  const std::string& problem) {
  const std::string text =
      absl::StrCat("seed ", seed, ": ", problem, "\n  again: ./dev sim",
                   range.scenario == Scenario::kTraining ? " --training" : "",
                   " --seed ", seed, "\n");
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Runs the seeds of one process.
void RunJob(const SeedRange& range, Shared* shared, int job) {
  while (!shared->stop) {
    const int64_t at = shared->next++;
    if (at >= range.count) return;
    const uint64_t seed = range.first + static_cast<uint64_t>(at);
    shared->running[job] = seed;
    const SeedResult result = RunScenario(range.scenario, seed, false);
    std::string problem;
    if (!result.sim.status.ok()) {
      problem = result.sim.status.ToString();
    } else if (range.twice &&
               RunScenario(range.scenario, seed, false).sim.hash !=
                   result.sim.hash) {
      problem = "hash: the second run has another hash of events";
    }
    shared->totals.Add(result, problem.empty());
    if (problem.empty()) continue;
    PrintFailure(range, seed, problem);
    if (range.only_one) shared->stop = true;
  }
}

// The threads of a simulation run one at a time: on one core switching is
// cheap, and uses no other core.
void StayOnCore(int job) {
  cpu_set_t usable, mine;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return;
  int skip = job % CPU_COUNT(&usable);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &usable) || skip-- > 0) continue;
    CPU_ZERO(&mine);
    CPU_SET(core, &mine);
    sched_setaffinity(0, sizeof(mine), &mine);
    return;
  }
}

pid_t StartJob(const SeedRange& range, Shared* shared, int job) {
  std::fflush(stdout);
  const pid_t pid = fork();
  MR_CHECK(pid >= 0, "no process can be started");
  if (pid > 0) return pid;
  StayOnCore(job);
  RunJob(range, shared, job);
  std::fflush(stdout);
  _exit(0);  // parked threads of failed runs are left behind
}

// A process and the seed that it was last seen with.
struct Job {
  pid_t pid = -1;
  uint64_t seed = 0;
  Deadline end = Deadline::AfterMillis(kMaxMsOfSeed);
  bool hangs = false;
};

void EndIfItHangs(uint64_t running, Job* job) {
  if (job->seed != running) {
    job->seed = running;
    job->end = Deadline::AfterMillis(kMaxMsOfSeed);
  } else if (job->pid > 0 && job->end.expired()) {
    job->hangs = true;
    kill(job->pid, SIGKILL);
  }
}

void Watch(const SeedRange& range, Shared* shared, std::vector<Job> jobs) {
  size_t left = jobs.size();
  Deadline show = Deadline::AfterMillis(kProgressMs);
  while (left > 0) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      SleepUntil(Deadline::AfterMillis(50));
      for (size_t job = 0; job < jobs.size(); ++job) {
        EndIfItHangs(shared->running[job], &jobs[job]);
      }
      if (show.expired() && isatty(STDOUT_FILENO) == 1) {
        std::printf("%lld of %lld seeds\n",
                    static_cast<long long>(shared->totals.passed() +
                                           shared->totals.failed()),
                    static_cast<long long>(range.count));
        std::fflush(stdout);
        show = Deadline::AfterMillis(kProgressMs);
      }
      continue;
    }
    for (size_t job = 0; job < jobs.size(); ++job) {
      if (jobs[job].pid != pid) continue;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        jobs[job].pid = -1;
        --left;
        continue;
      }
      // It crashed in the middle of a seed; the others go on.
      shared->totals.AddCrash();
      PrintFailure(
          range, shared->running[job],
          jobs[job].hangs
              ? absl::StrCat("hang: no end after ", kMaxMsOfSeed / 1000, " s")
          : WIFSIGNALED(status)
              ? absl::StrCat("crash: ended by signal ", WTERMSIG(status))
              : absl::StrCat("crash: ended with exit code ",
                             WEXITSTATUS(status)));
      if (range.only_one) shared->stop = true;
      jobs[job] = {StartJob(range, shared, static_cast<int>(job))};
    }
  }
}

}  // namespace

SeedResult RunScenario(Scenario scenario, uint64_t seed, bool verbose) {
  return scenario == Scenario::kTraining ? RunTrainingSeed(seed, verbose)
                                         : RunSeed(seed, verbose);
}

int RunSeeds(const SeedRange& range) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  MR_CHECK(memory != MAP_FAILED, "no memory to share");
  Shared* shared = new (memory) Shared;
  const int jobs = static_cast<int>(std::min<int64_t>(
      {range.jobs > 0 ? range.jobs : UsableCores(), range.count, kMaxJobs}));
  std::vector<Job> processes;
  for (int job = 0; job < jobs; ++job) {
    processes.push_back({StartJob(range, shared, job)});
  }
  const int64_t start = NowNanos();
  Watch(range, shared, std::move(processes));
  const SeedTotals& totals = shared->totals;
  const bool is_training = range.scenario == Scenario::kTraining;
  const std::string shortfalls =
      totals.failed() == 0 && !is_training ? totals.Shortfalls() : "";
  std::printf(
      "%lld seeds%s in %.1f s by %d processes\n%s%s%lld passed, %lld "
      "failed\n",
      static_cast<long long>(totals.passed() + totals.failed()),
      range.twice ? ", each run twice," : "",
      static_cast<double>(NowNanos() - start) * 1e-9, jobs,
      (is_training ? totals.ReportOfTraining() : totals.Report()).c_str(),
      shortfalls.c_str(), static_cast<long long>(totals.passed()),
      static_cast<long long>(totals.failed()));
  return totals.failed() == 0 && shortfalls.empty() ? 0 : 1;
}

}  // namespace millrace::sim
