#pragma once

// A driver whose device is the processor compiles a pipeline when it is first drawn with, which
// delays the frame, and keeps the result on disk. So each pipeline is first tried out elsewhere.

#include <vulkan/vulkan.h>

#include <memory>

#include "present/display_pipelines.h"

namespace mote::present {

class Presenter;

/// Draws small pictures with the display pass on another device of the same driver, where no one
/// waits. Used by one thread, which may differ from the constructing one.
class Rehearsal {
 public:
  /// `gpu`: its index; `format`: that of the display pass's target.
  Rehearsal(int gpu, VkFormat format);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Draws with the variant. An error is logged and ends all rehearsals; the first use is then
  /// slow.
  void play(const DisplayVariant& variant);

 private:
  void draw(const DisplayVariant& variant);

  int gpu_;
  VkFormat format_;
  bool given_up_ = false;
  std::unique_ptr<Presenter> presenter_;  // null before the first use
};

}  // namespace mote::present
