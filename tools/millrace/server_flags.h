// The options of `millrace server` as they are given.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace millrace {

// Names are those of the flags and of the keys in a --config file.
struct ServerFlags {
  std::string cluster;  // text, or "@FILE"
  std::string config;
  std::string job;
  int task = -1;  // -1: not given
  std::string bind;
  std::string advertise;
  int port = -1;  // -1: the cluster's entry
  std::string port_file;
  int parent_fd = -1;                     // -1: none
  std::vector<std::string> device_count;  // "CPU=2"
  bool fake_gpu = false;
  std::string visible_devices;     // "", "1,0"
  double gpu_memory_fraction = 0;  // 0: not given
  bool gpu_allow_growth = false;
  std::vector<std::string> virtual_devices;  // "2048,2048", one a card
  std::string memory_limit;                  // "", "8G", "512M", "80%"
  std::string file_root;
  double session_wait = 300;  // seconds
  bool insecure = false;
  bool no_bulk = false;
  int inter_op_threads = 0;
  int intra_op_threads = 0;
  std::string log_level = "info";
};

}  // namespace millrace
