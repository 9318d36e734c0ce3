#pragma once

// The pipelines of the display pass, made by a thread of their own: a driver may take longer for
// one than a frame may.

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "present/handle.h"

namespace mote::present {

/// Specialisation constants of shaders/display.frag, in their order.
using DisplayVariant = std::array<std::int32_t, 7>;
enum DisplayPlace : std::size_t {
  kFirstUpscalePlace,
  kSecondUpscalePlace,
  kGradedPlace,
  kIsLinearPlace,
  kTonePlace,
  kBackdropPlace,
  kComparePlace,
};

/// One thread asks; another one makes.
class DisplayPipelines {
 public:
  struct Steps {
    std::function<Pipeline(const DisplayVariant&)> make;
    /// Called before `make` where it is not empty: whatever makes the first use quick.
    std::function<void(const DisplayVariant&)> rehearse;
    /// Called once everything that was asked for is made, where it is not empty.
    std::function<void()> rest;
  };
  /// Makes the first one at once. Throws what that throws.
  DisplayPipelines(Steps steps, const DisplayVariant& first);
  ~DisplayPipelines();
  DisplayPipelines(const DisplayPipelines&) = delete;
  DisplayPipelines& operator=(const DisplayPipelines&) = delete;

  /// Has it made when nothing is more urgent.
  void prepare(const DisplayVariant& variant);
  /// Null while it is being made, which it is from the first call on. Throws what making it threw.
  VkPipeline find(const DisplayVariant& variant);
  /// Waits for it.
  VkPipeline wait_for(const DisplayVariant& variant);

 private:
  struct Entry {
    Pipeline pipeline;
    std::exception_ptr fault;
    bool done = false;
  };
  void work();
  Entry make(const DisplayVariant& variant) const;
  void ask(const DisplayVariant& variant, bool urgent);
  VkPipeline made(const DisplayVariant& variant);

  Steps steps_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<DisplayVariant, Entry> entries_;  // those asked for
  std::deque<DisplayVariant> waiting_;       // to be made, the most urgent first
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote::present
