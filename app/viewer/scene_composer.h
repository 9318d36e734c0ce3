#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/device_turns.h"
#include "app/viewer/mailbox.h"
#include "app/viewer/scene_merge.h"

namespace mote {

/// Which documents, as they stand.
struct Combination {
  struct Item {
    std::uint32_t document = 0;
    std::uint64_t revision = 0;
    std::uint64_t moment = 0;  // Moment::number of a scene that moves
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;
  bool operator==(const Combination&) const = default;
};

/// Whether both are the same documents, whatever the moment.
bool same_documents(const Combination& a, const Combination& b);

/// Several documents as one scene on the device.
struct ComposedScene {
  Combination combination;
  std::unique_ptr<DeviceScene> device;  // null: every splat of it is hidden or deleted
  std::size_t splats = 0, bytes = 0;    // bytes as a cloud
  int sh_degree = 0;
  bool antialiased = false;
  double merge_ms = 0, upload_ms = 0;
};

/// Makes the scenes that the view shows, on a thread of its own. Backends draw one scene, so what
/// is shown together is merged and uploaded together. That costs, each time anything but the
/// visibility of a kept combination changes, a copy of all shown splats and what the backend does
/// to make them ready; the picture before stays up meanwhile. The last combinations are kept, so
/// that showing and hiding goes to and fro at once.
class SceneComposer {
 public:
  explicit SceneComposer(DeviceTurns& device);
  ~SceneComposer();
  SceneComposer(const SceneComposer&) = delete;
  SceneComposer& operator=(const SceneComposer&) = delete;

  /// Asks for a combination; what was asked for before and is not begun is dropped. `parts` are
  /// those of its items, in their order, at least one.
  void ask(Combination combination, std::vector<MergePart> parts);
  /// What was made since the last call; null where nothing was.
  std::shared_ptr<const ComposedScene> take();
  /// What went wrong since the last call, a sentence each.
  std::vector<std::string> take_faults() { return faults_.take(); }
  bool busy() const { return busy_; }

 private:
  struct Order {
    Combination combination;
    std::vector<MergePart> parts;
  };
  void work();
  std::shared_ptr<const ComposedScene> make(Order order);
  void keep(std::shared_ptr<const ComposedScene> scene);

  DeviceTurns& device_;
  Mailbox<std::string> faults_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Order> order_;
  std::shared_ptr<const ComposedScene> made_;
  bool stopping_ = false;
  std::atomic<bool> busy_{false};
  std::deque<std::shared_ptr<const ComposedScene>> kept_;  // newest last; the thread's own
  std::thread thread_;                                     // last: it uses all of the above
};

}  // namespace mote
