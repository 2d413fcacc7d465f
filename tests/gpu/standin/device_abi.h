// What device text, compiled for the stand-in, and the stand-in's driver know
// of each other. It stands before each text that is compiled, so it includes
// nothing and keeps to what any C++ has.
#pragma once

struct StandInDim {
  unsigned x, y, z;
};

// The CUDA thread that runs. Each thread of the machine that runs blocks has
// one, which always describes the CUDA thread that is on at the moment.
struct StandInThread {
  StandInDim thread, block, block_size, grid_size;
  unsigned number;  // of the thread within its block
  void* dynamic_shared;
};

// What device text asks of the driver. All of these may let other threads of
// the block run first.
struct StandInDevice {
  // Waits for all threads of the block that have not ended. Returns how many of
  // them said `predicate`; 0 <= result <= `*waiting`, their number.
  unsigned (*barrier)(int predicate, unsigned* waiting);
  // Waits for the lanes of `mask` that have not ended. Returns what each of the
  // 32 lanes gave, and behind that which lanes took part, as bits; others have
  // a value that is nonsense. The result is valid until the next call of this
  // thread.
  const unsigned long long* (*exchange)(unsigned mask,
                                        unsigned long long value);
  // Ends the kernel with an error of the driver's numbers. Does not return.
  void (*fail)(int error);
};

struct StandInEntry {
  const char* name;
  void (*run)(void* const* arguments);
  unsigned num_parameters;
  const unsigned* parameter_bytes;
};

// A compiled text defines one of these, `standin_module`.
struct StandInModule {
  unsigned num_entries;
  const StandInEntry* const* entries;
  // Called on a thread of the machine before it runs threads of a kernel.
  void (*begin)(StandInThread* thread, const StandInDevice* device);
};
