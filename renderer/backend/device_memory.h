#pragma once

// The memory of a device that does not use the host's memory: the need of a request, the sizes that
// fit, and errors with remedies. Estimates are lower bounds: they count one splat-tile pair per
// splat, but views may have several.

#include <cstdint>
#include <optional>
#include <string>

#include "backend/backward_form.h"
#include "splats/deformation_config.h"
#include "splats/kinds/splat_kind.h"

namespace mote {

/// The purpose of memory.
enum class MemoryUse {
  scene,    // a scene to be drawn, with its entries in the lists of a frame
  frame,    // the lists and pictures of a frame, without the scene
  growth,   // splats in training, without temporary data of steps and decisions
  training  // splats in training, with steps, decisions and the lists of the viewer
};

struct MemoryRequest {
  MemoryUse use = MemoryUse::training;
  SplatForm splat = {};
  BackwardForm backward = BackwardForm::strips;
  std::uint64_t pixels = 0;                           // of the largest picture or photograph
  std::optional<DeformationConfig> deformation = {};  // the field that moves splats in training
  bool velocities = false;  // evaluations of a training show them, see VelocityPictures
};

/// Sizes in bytes. An element is a splat with one pair and one slot.
struct UnitBytes {
  std::uint64_t element = 0, pixel = 0;
  std::uint64_t pair = 0;   // splat-tile pair
  std::uint64_t slot = 0;   // record for a splat's gradient in one tile
  std::uint64_t fixed = 0;  // for any number of splats and pixels
};

/// The memory of a device, and the memory that a request needs.
struct MemoryEstimate {
  std::string device;  // for messages
  std::uint64_t free_bytes = 0, total_bytes = 0;
  std::uint64_t held_bytes = 0;  // held by the same splats and view, and reused
  UnitBytes each;
  std::uint64_t pixels = 0;

  std::uint64_t available_bytes() const { return free_bytes + held_bytes; }
  std::uint64_t image_bytes() const { return pixels * each.pixel; }
  std::uint64_t needed_bytes(std::uint64_t elements) const {
    return each.fixed + image_bytes() + elements * each.element;
  }
  /// Approximate number of elements that fit together with the images, if a tenth of the memory is
  /// reserved for per-view data; 0 for none.
  std::uint64_t elements_that_fit() const;
  /// Approximate number of pixels that fit together with this many elements, with the same reserve.
  std::uint64_t pixels_that_fit(std::uint64_t elements) const;
};

/// Keeps the first two digits and sets the others to zero, so that the number is easy to type.
std::uint64_t rounded_down(std::uint64_t number);

/// A frame or a training step that did not fit.
struct ViewLoad {
  std::uint64_t splats = 0;
  int width = 0, height = 0;  // px
  std::uint64_t pairs = 0;    // 0 if not counted yet
  std::uint64_t slots = 0;    // for training; 0 if not counted yet
};

/// Sizes that fit: the number of splats at the view's size, and the size with the view's splats. 0
/// if none fits. If neither fits, both must be reduced; `together` is then set, and the two values
/// fit together. The number of pairs is assumed to be proportional to splats and pixels.
struct ViewFit {
  std::uint64_t splats = 0;
  int width = 0, height = 0;  // px
  bool together = false;
};
ViewFit fit_of(const ViewLoad& load, const MemoryEstimate& memory);

/// Throws Error, with the number of splats that would fit, if the scene does not fit.
void check_scene_fits(std::uint64_t splats, SplatForm splat, const MemoryEstimate& memory);
/// Throws Error, with the number of splats that would fit, if `wanted` splats in training do not
/// fit into the free memory and the memory of the present `held` splats.
void check_growth_fits(std::uint64_t held, std::uint64_t wanted, const MemoryEstimate& memory);

// Remedies for Error, with the size that would fit:

/// For a scene to be drawn.
std::string scene_remedy(const MemoryEstimate& memory);
/// For splats at the start of training, or from a checkpoint.
std::string start_remedy(const MemoryEstimate& memory);
/// For a change of the splats in training.
std::string growth_remedy(const MemoryEstimate& memory);
/// For a frame: a smaller picture, or fewer splats.
std::string frame_remedy(const ViewLoad& load, const MemoryEstimate& memory);
/// For a training step: fewer splats, smaller photographs, or the backward form that uses less
/// memory.
std::string step_remedy(const ViewLoad& load, const MemoryEstimate& memory, BackwardForm form);
/// For a run that starts with `first` splats: an upper bound on their number, or smaller
/// photographs.
std::string run_remedy(std::uint64_t first, const MemoryEstimate& memory);
/// The remedy that applies to every shortage of memory.
std::string end_other_programs();

}  // namespace mote
