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

#include "app/viewer/workers/device_turns.h"
#include "app/viewer/workers/scene_merge.h"
#include "core/mailbox.h"
#include "model/drawable.h"

namespace mote {

/// A set of documents at given revisions.
struct Combination {
  struct Item {
    std::uint32_t document = 0;
    std::uint64_t revision = 0;
    std::uint64_t moment = 0;  // Moment::number of a moving scene
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;
  bool operator==(const Combination&) const = default;
};

/// Whether both have the same documents, regardless of the moment.
bool same_documents(const Combination& a, const Combination& b);

/// Several documents merged into one scene on the device.
struct ComposedScene {
  Combination combination;
  std::unique_ptr<Drawable> model;    // null: all its splats are hidden or deleted
  std::size_t splats = 0, bytes = 0;  // bytes: size of the cloud
  int sh_degree = 0;
  bool antialiased = false;
  double merge_ms = 0, upload_ms = 0;
};

/// Builds the scenes that the view shows, on its own thread. A backend draws one scene, so the
/// shown documents are merged and uploaded together. Each change except the visibility of a kept
/// combination costs a copy of all shown splats and the backend's preparation. The previous picture
/// stays on screen meanwhile. The last combinations are kept, so that showing and hiding a document
/// is immediate.
class SceneComposer {
 public:
  explicit SceneComposer(DeviceTurns& device);
  ~SceneComposer();
  SceneComposer(const SceneComposer&) = delete;
  SceneComposer& operator=(const SceneComposer&) = delete;

  /// Requests a combination and drops a request that has not started. `parts` are the parts of its
  /// items, in their order, at least one.
  void ask(Combination combination, std::vector<MergePart> parts);
  /// The scene that was built since the last call; null if there is none.
  std::shared_ptr<const ComposedScene> take();
  /// Errors since the last call, a sentence each.
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
  std::deque<std::shared_ptr<const ComposedScene>> kept_;  // newest last; used by the thread only
  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
