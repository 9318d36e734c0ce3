#include "app/jobs/frame_sequence.h"

#include <future>

namespace mote {
namespace {

/// Larger frames are not rendered while the previous one is written, since two would take too much
/// memory.
constexpr std::size_t kMaxOverlappedPixels = std::size_t{1} << 25;

}  // namespace

std::vector<FrameStats> write_sequence(std::span<const View> views, const SequenceSteps& steps,
                                       FrameOutput& output) {
  std::vector<FrameStats> stats;
  Frame frames[2];
  std::future<void> writing;
  for (std::size_t i = 0; i < views.size(); ++i) {
    steps.before(i);
    const View& view = views[i];
    Frame& frame = frames[i % 2];
    stats.push_back(steps.render(view, frame));
    if (writing.valid()) writing.get();
    // Uses a thread; if the system cannot start one, get() writes the frame.
    writing =
        std::async(std::launch::async | std::launch::deferred, [&] { output.write(view, frame); });
    if (frame.rgb.pixels.size() > 3 * kMaxOverlappedPixels) {
      writing.get();
      frame = Frame();
    }
  }
  if (writing.valid()) writing.get();
  output.finish();
  return stats;
}

}  // namespace mote
