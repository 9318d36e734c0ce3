#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/viewer/device_turns.h"
#include "app/viewer/frame_ring.h"
#include "app/viewer/mailbox.h"
#include "app/viewer/picture_sharing.h"
#include "app/viewer/render_modes.h"
#include "app/viewer/resolution_controller.h"
#include "app/viewer/scene_composer.h"

namespace mote {

/// A picture that somebody wants to see.
struct RenderRequest {
  Camera camera;  // of the full size
  RenderSettings settings = {};
  const RenderMode* mode = nullptr;
  std::shared_ptr<const ComposedScene> scene = nullptr;  // null: nothing but background
  bool training = false;                                 // the trainer's splats instead of `scene`
  std::uint64_t training_step = 0;                       // that they should have at least
  bool moving = false;  // more like it follow: the rate counts more than the size
  bool again = false;   // of a view that was shown at full size and stands: at that size at once
  std::uint64_t actions = 0;  // Session::actions when it was asked for
  double target_ms = 33;
  double asked_s = 0;  // now_s() when the input was taken that it answers
};

/// A finished picture, and where it comes from.
struct FinishedFrame {
  std::uint64_t number = 0, request = 0;  // the frame, and the request that it answers; from 1
  Camera camera;                          // as rendered, of the picture's size
  int full_width = 0, full_height = 0;    // px, that it stands for
  bool full = false;                      // rendered at that size
  Frame frame;
  Image painted;  // of modes that paint
  bool is_painted = false;
  std::optional<LegendRange> range;  // of the mode's legend
  FrameStats stats;
  std::array<float, 3> background{};  // what stands behind the splats
  bool training = false;
  std::uint64_t training_step = 0;
  std::uint64_t actions = 0;  // of the request
  double asked_s = 0, started_s = 0, finished_s = 0;
  /// Where the picture is, in the places of the sharing of this number, instead of in `frame`.
  std::optional<SharedPicture> shared;
  std::uint64_t sharing = 0;

  /// What is to be shown: [h][w][3], display-referred, 0..1. Not there where it is shared.
  const Image& picture() const { return is_painted ? painted : frame.rgb; }
};

/// Renders on a thread of its own whatever was asked for last, and nothing while that stands: a
/// view that moves at a size that keeps the rate, one that stands still at full size. One thread
/// asks and looks.
class RenderWorker {
  static_assert(PictureSharing::kPlaces == FrameRing<FinishedFrame>::kPlaces);

 public:
  explicit RenderWorker(DeviceTurns& device);
  ~RenderWorker();
  RenderWorker(const RenderWorker&) = delete;
  RenderWorker& operator=(const RenderWorker&) = delete;

  /// Takes the place of the request before. Gives its number.
  std::uint64_t ask(RenderRequest request);
  /// The newest finished frame, which stays as it is until the next call; null before the first.
  const FinishedFrame* newest() { return ring_.newest(); }
  /// Frames that were finished, those that nobody looked at included.
  std::uint64_t finished() const { return finished_; }
  /// RenderRequest::actions of the newest of them.
  std::uint64_t answered() const { return answered_; }
  std::vector<std::string> take_faults() { return faults_.take(); }
  /// Where pictures of a view that moves and shows colour may go: the others are wanted on the
  /// host, too.
  PictureSharing& sharing() { return sharing_; }

 private:
  void work();
  /// Renders what is newly asked for, else `unrefined`. Leaves there what did not come out at full
  /// size, or nothing.
  void render_next(std::optional<RenderRequest>& unrefined);
  bool render(const RenderRequest& request, std::uint64_t number, bool refine,
              std::optional<DeviceTurns::Turn>& turn);
  double scale_for(const RenderRequest& request, bool refine);
  /// Renders into `out`, whose camera is set.
  void draw(const RenderRequest& request, const DeviceTurns::Turn& turn, FinishedFrame& out);

  DeviceTurns& device_;
  FrameRing<FinishedFrame> ring_;
  Mailbox<std::string> faults_;
  PictureSharing sharing_;
  ResolutionController resolution_;  // the thread's own
  Combination measured_;             // that resolution_ knows; none: the trainer's, or nothing
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RenderRequest> request_;  // not begun
  std::uint64_t requests_ = 0;
  bool stopping_ = false;
  std::atomic<std::uint64_t> finished_{0}, answered_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote
