#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/document/opened.h"
#include "core/mailbox.h"

namespace mote {

/// A path to open.
struct LoadOrder {
  std::filesystem::path path;
  /// Opens it, on the worker's thread. Throws Error; may call `progress`, which may throw to stop.
  std::function<Opened(const ProgressCallback& progress)> read;
  std::uint64_t tag = 0;  // of the caller
};

/// Result of opening one path.
struct LoadResult {
  Opened opened = {};
  std::uint64_t tag = 0;   // of the order
  std::string fault = {};  // complete error message; empty on success
  bool cancelled = false;
};

/// Progress of loading.
struct LoadStatus {
  std::vector<std::string> waiting;  // paths, the current one first; empty: idle
  double fraction = 0;               // of the current path
};

/// Opens paths one after the other on its own thread.
class LoadWorker {
 public:
  LoadWorker();
  /// Stops the current load.
  ~LoadWorker();
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;

  void open(std::filesystem::path path, DatasetOptions options = {});
  /// As in open_path(); for paths opened later.
  void set_splat_memory(double gb) { splat_memory_gb_ = gb; }
  double splat_memory_gb() const { return splat_memory_gb_; }
  void open(LoadOrder order);
  /// Drops all waiting paths and stops the current load at its next progress call.
  void cancel();
  std::vector<LoadResult> take() { return results_.take(); }
  LoadStatus status() const;
  bool busy() const;

 private:
  void work();
  LoadResult load(const LoadOrder& order);

  Mailbox<LoadResult> results_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LoadOrder> orders_;  // the current one first
  bool stopping_ = false;
  std::atomic<bool> cancelled_{false};
  std::atomic<double> fraction_{0};
  double splat_memory_gb_ = 0;
  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
