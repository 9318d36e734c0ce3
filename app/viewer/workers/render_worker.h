#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/jobs/render_modes.h"
#include "app/viewer/workers/device_turns.h"
#include "app/viewer/workers/frame_ring.h"
#include "app/viewer/workers/picture_sharing.h"
#include "app/viewer/workers/resolution_controller.h"
#include "app/viewer/workers/scene_composer.h"
#include "core/mailbox.h"

namespace mote {

/// A request for one picture.
struct RenderRequest {
  Camera camera;      // at full size
  double time_s = 0;  // of the moving scenes
  RenderSettings settings = {};
  const RenderMode* mode = nullptr;
  std::shared_ptr<const ComposedScene> scene = nullptr;  // null: background only
  bool training = false;            // render the model in training instead of `scene`
  std::uint64_t training_step = 0;  // minimum step of this model
  bool moving = false;              // similar requests follow: the rate matters more than the size
  bool again = false;  // the same static view as the last full picture: full size at once
  bool field = false;  // `training` or `scene` has a neural field: a picture may take seconds
  bool draft = false;  // a slow picture is not needed at full size, since the next one follows soon
  /// Part of every depth that is not of the view: how far an orthographic camera stands back.
  double depth_before = 0;
  std::uint64_t actions = 0;  // Session::actions at the time of the request
  double target_ms = 33;
  double asked_s = 0;  // now_s() of the input that caused it
};

/// A finished picture and its origin.
struct FinishedFrame {
  std::uint64_t number = 0, request = 0;  // the frame, and the request it answers; from 1
  Camera camera;                          // as rendered, at the picture's size
  int full_width = 0, full_height = 0;    // size of the full picture, px
  bool full = false;                      // rendered at full size
  bool complete = false;                  // full, or a draft that no picture of its request follows
  Frame frame;
  Image painted;  // only for modes that paint
  bool is_painted = false;
  std::optional<LegendRange> range;  // of the mode's legend
  FrameStats stats;
  std::array<float, 3> background{};  // behind the model
  double depth_before = 0;            // copied from the request; `range` is without it
  bool training = false;
  std::uint64_t training_step = 0;
  std::uint64_t actions = 0;  // copied from the request
  double asked_s = 0, started_s = 0, finished_s = 0;
  /// The picture's place within the sharing of this number; if set, the picture is not in `frame`.
  std::optional<SharedPicture> shared;
  std::uint64_t sharing = 0;

  /// The picture to show: [h][w][3], display-referred, 0..1. Not valid for a shared picture.
  const Image& picture() const { return is_painted ? painted : frame.rgb; }
};

/// Renders the latest request on its own thread, once. A moving view is rendered at a size that
/// keeps the frame rate, a static one at full size. A slow picture of a neural field grows to full
/// size in steps, and ends early when a new request arrives. Only one thread may ask and read.
class RenderWorker {
  static_assert(PictureSharing::kPlaces == FrameRing<FinishedFrame>::kPlaces);

 public:
  explicit RenderWorker(DeviceTurns& device);
  ~RenderWorker();
  RenderWorker(const RenderWorker&) = delete;
  RenderWorker& operator=(const RenderWorker&) = delete;

  /// Replaces the pending request; returns its number.
  std::uint64_t ask(RenderRequest request);
  /// The newest finished frame, unchanged until the next call; null before the first one.
  const FinishedFrame* newest() { return ring_.newest(); }
  /// Number of finished frames, including frames that were never read.
  std::uint64_t finished() const { return finished_; }
  /// RenderRequest::actions of the newest finished frame.
  std::uint64_t answered() const { return answered_; }
  std::vector<std::string> take_faults() { return faults_.take(); }
  /// Sharing for colour pictures of a moving view. Other pictures also go to the host.
  PictureSharing& sharing() { return sharing_; }

 private:
  void work();
  /// Renders a new request, else `unrefined`. Sets `unrefined` to the request if it was not
  /// rendered at full size, else clears it.
  void render_next(std::optional<RenderRequest>& unrefined);
  bool render(const RenderRequest& request, std::uint64_t number, bool refine,
              std::optional<DeviceTurns::Turn>& turn);
  double scale_for(const RenderRequest& request, bool refine);
  /// Whether a picture at full size takes so long that smaller ones come first.
  bool grows(const RenderRequest& request) const;
  /// Renders into `out`, whose camera is already set. If a smaller picture of the view is shown
  /// (`refine`), a new request ends this one.
  void draw(const RenderRequest& request, const DeviceTurns::Turn& turn, bool refine,
            FinishedFrame& out);

  DeviceTurns& device_;
  FrameRing<FinishedFrame> ring_;
  Mailbox<std::string> faults_;
  PictureSharing sharing_;
  ResolutionController resolution_;  // used by the thread only
  Combination measured_;  // the combination that resolution_ was measured on; empty: the trainer's
                          // model, or nothing
  bool measured_field_ = false;  // RenderRequest::field of that
  double scale_ = 1;             // of the last picture
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RenderRequest> request_;  // not started yet
  std::uint64_t requests_ = 0;
  bool stopping_ = false;
  std::atomic<bool> superseded_{false};  // the picture in work is not needed any more
  std::atomic<std::uint64_t> finished_{0}, answered_{0};
  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
