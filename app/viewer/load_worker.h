#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/mailbox.h"
#include "app/viewer/opened.h"

namespace mote {

/// What became of one path.
struct LoadResult {
  Opened opened = {};
  std::string fault = {};  // what went wrong, whole; empty where it was opened
  bool cancelled = false;
};

/// How far loading is.
struct LoadStatus {
  std::vector<std::string> waiting;  // paths, the one at work first; empty: idle
  double fraction = 0;               // of the one at work
};

/// Opens paths one after the other on a thread of its own.
class LoadWorker {
 public:
  LoadWorker();
  /// Stops what is at work.
  ~LoadWorker();
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;

  void open(std::filesystem::path path, DatasetOptions options = {});
  /// Drops everything that waits and stops what is at work, as soon as it looks up.
  void cancel();
  std::vector<LoadResult> take() { return results_.take(); }
  LoadStatus status() const;
  bool busy() const;

 private:
  struct Order {
    std::filesystem::path path;
    DatasetOptions options;
  };
  void work();
  LoadResult load(const Order& order);

  Mailbox<LoadResult> results_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Order> orders_;  // the one at work first
  bool stopping_ = false;
  std::atomic<bool> cancelled_{false};
  std::atomic<double> fraction_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote
