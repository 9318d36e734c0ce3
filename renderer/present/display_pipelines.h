#pragma once

// The pipelines of the display pass. A separate thread makes them, since a driver may take longer
// for one than a frame may last.

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

/// Specialisation constants of shaders/display.frag, in the same order.
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

/// One thread requests pipelines; another one makes them.
class DisplayPipelines {
 public:
  struct Steps {
    std::function<Pipeline(const DisplayVariant&)> make;
    /// Called before `make` if not empty, to speed up the first use.
    std::function<void(const DisplayVariant&)> rehearse;
    /// Called when all requested pipelines are made, if not empty.
    std::function<void()> rest;
  };
  /// Makes the first pipeline immediately. Throws its errors.
  DisplayPipelines(Steps steps, const DisplayVariant& first);
  ~DisplayPipelines();
  DisplayPipelines(const DisplayPipelines&) = delete;
  DisplayPipelines& operator=(const DisplayPipelines&) = delete;

  /// Requests a pipeline with low priority.
  void prepare(const DisplayVariant& variant);
  /// Null until the pipeline is made; the first call requests it. Throws the error of making it.
  VkPipeline find(const DisplayVariant& variant);
  /// Waits for the pipeline.
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
  std::map<DisplayVariant, Entry> entries_;  // those requested
  std::deque<DisplayVariant> waiting_;       // to be made, the most urgent first
  bool stopping_ = false;
  std::thread thread_;  // last member: it uses all members above
};

}  // namespace mote::present
