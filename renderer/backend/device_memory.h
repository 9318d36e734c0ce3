#pragma once

// Memory of a device with its own memory: what a request takes by purpose, what fits, and the
// errors and remedies where it does not. Estimates are lower bounds: one pair of a splat and a part
// of the image is counted per splat, and views may have several.

#include <cstdint>
#include <string>

#include "backend/backward_form.h"
#include "splats/kinds/splat_kind.h"

namespace mote {

/// The purpose of memory.
enum class MemoryUse {
  scene,    // a scene to be drawn, with its place in the lists of a frame
  frame,    // the lists and pictures of a frame, besides the scene
  growth,   // splats in training, without temporary data of steps and decisions
  training  // splats in training, with steps, decisions and the lists of the viewer
};

struct MemoryRequest {
  MemoryUse use = MemoryUse::training;
  SplatForm splat = {};
  BackwardForm backward = BackwardForm::strips;
  std::uint64_t pixels = 0;  // of the largest picture or photograph
};

/// Bytes of one of each. An element is a splat with one pair and one slot.
struct UnitBytes {
  std::uint64_t element = 0, pixel = 0;
  std::uint64_t pair = 0;  // of a splat and a part of the image
  std::uint64_t slot = 0;  // for a splat's gradient in a part of the image
};

/// The memory of a device and of a request to it.
struct MemoryEstimate {
  std::string device;  // for messages
  std::uint64_t free_bytes = 0, total_bytes = 0;
  std::uint64_t held_bytes = 0;  // of the same splats and view now, to be used again
  UnitBytes each;
  std::uint64_t pixels = 0;

  std::uint64_t available_bytes() const { return free_bytes + held_bytes; }
  std::uint64_t image_bytes() const { return pixels * each.pixel; }
  std::uint64_t needed_bytes(std::uint64_t elements) const {
    return image_bytes() + elements * each.element;
  }
  /// Approximate number of elements that fit besides the images, with a tenth of the memory
  /// reserved for per-view data; 0 for none.
  std::uint64_t elements_that_fit() const;
  /// Approximate number of pixels that fit besides this many elements, with the same reserve.
  std::uint64_t pixels_that_fit(std::uint64_t elements) const;
};

/// Keeps the first two digits and sets the others to zero: a number that is easy to type.
std::uint64_t rounded_down(std::uint64_t number);

/// A frame or a training step that did not fit.
struct ViewLoad {
  std::uint64_t splats = 0;
  int width = 0, height = 0;  // px
  std::uint64_t pairs = 0;    // 0 if not counted yet
  std::uint64_t slots = 0;    // for training; 0 if not counted yet
};

/// The sizes of a view that fit: the number of splats at its size, and the size for its splats, 0
/// if none fits. If neither fits, both must be reduced, and these two fit together. The number of
/// pairs is taken as proportional to splats and pixels.
struct ViewFit {
  std::uint64_t splats = 0;
  int width = 0, height = 0;  // px
  bool together = false;
};
ViewFit fit_of(const ViewLoad& load, const MemoryEstimate& memory);

/// Throws Error, with the number that would fit, where the scene does not fit.
void check_scene_fits(std::uint64_t splats, SplatForm splat, const MemoryEstimate& memory);
/// Throws Error, with the number that would fit, where the free memory and the splats' own cannot
/// hold `wanted` splats in training instead of `held`.
void check_growth_fits(std::uint64_t held, std::uint64_t wanted, const MemoryEstimate& memory);

// Remedies, with the size that would fit:

/// Of a scene to be drawn.
std::string scene_remedy(const MemoryEstimate& memory);
/// Of splats at the start of training, or from a checkpoint.
std::string start_remedy(const MemoryEstimate& memory);
/// Of a change of the splats in training.
std::string growth_remedy(const MemoryEstimate& memory);
/// Of a frame: a smaller one, or fewer splats.
std::string frame_remedy(const ViewLoad& load, const MemoryEstimate& memory);
/// Of a step: fewer splats, smaller photographs, or the backward form that uses less memory.
std::string step_remedy(const ViewLoad& load, const MemoryEstimate& memory, BackwardForm form);
/// Of a run that starts with `first` splats: an upper bound on their number, or smaller
/// photographs.
std::string run_remedy(std::uint64_t first, const MemoryEstimate& memory);
/// The means against all shortages besides those of a request.
std::string end_other_programs();

}  // namespace mote
