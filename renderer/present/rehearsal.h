#pragma once

// If the device is the processor, its driver compiles a pipeline only when a frame first draws with
// it, which delays that frame, and keeps the result on disk. Each pipeline is therefore tried out
// on another device first.

#include <vulkan/vulkan.h>

#include <memory>

#include "present/display_pipelines.h"

namespace mote::present {

class Presenter;

/// Draws small pictures with the display pass on another device of the same driver, which delays no
/// frame. Used by one thread, which may differ from the constructing one.
class Rehearsal {
 public:
  /// `gpu`: index of the device. `format`: that of the display pass's target.
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
