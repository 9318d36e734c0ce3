#pragma once

// Drivers whose device is the processor compile a pipeline when it is first drawn with, in the way
// of all frames behind it, and keep the result on the disk. So it is tried out elsewhere first.

#include <vulkan/vulkan.h>

#include <memory>

#include "present/display_pipelines.h"

namespace mote::present {

class Presenter;

/// Draws small pictures with the display pass on another device of the same driver, which nobody
/// waits for. One thread's, which need not be that of its making.
class Rehearsal {
 public:
  /// `gpu`: its index; `format`: of what the display pass draws on.
  Rehearsal(int gpu, VkFormat format);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// Draws with the variant. A fault is logged, and ends all rehearsals: then the first use takes
  /// its time.
  void play(const DisplayVariant& variant);

 private:
  void draw(const DisplayVariant& variant);

  int gpu_;
  VkFormat format_;
  bool given_up_ = false;
  std::unique_ptr<Presenter> presenter_;  // null before the first
};

}  // namespace mote::present
