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

#include "app/viewer/document/model_source.h"
#include "app/viewer/workers/composed_scene.h"
#include "app/viewer/workers/device_turns.h"
#include "core/mailbox.h"

namespace mote {

/// Puts the documents that the view shows on the device, on its own thread. Each document has a
/// model of its own there. Small edits change it in place; other changes of a document upload it
/// anew, while the previous picture stays on screen. The documents shown last are kept, so that
/// showing and hiding a document is immediate.
class SceneComposer {
 public:
  explicit SceneComposer(DeviceTurns& device);
  ~SceneComposer();
  SceneComposer(const SceneComposer&) = delete;
  SceneComposer& operator=(const SceneComposer&) = delete;

  /// Requests a combination and drops a request that has not started. `sources` are those of its
  /// items, in their order, at least one. The scene is placed as they are.
  void ask(Combination combination, std::vector<PlacedSource> sources);
  /// The scene that was built since the last call; null if there is none.
  std::shared_ptr<const ComposedScene> take();
  /// Errors since the last call, a sentence each.
  std::vector<std::string> take_faults() { return faults_.take(); }
  bool busy() const { return busy_; }

 private:
  struct Order {
    Combination combination;
    std::vector<PlacedSource> sources;
  };
  void work();
  /// One document on the device, and its state there.
  struct Kept {
    Combination::Item item;
    std::weak_ptr<const ModelSource> source;
    std::unique_ptr<ModelUpdate> update;  // of the source's edits; null: there is none
    ComposedPart part;
  };
  std::shared_ptr<const ComposedScene> make(Order order);
  /// Finds, changes or uploads the part, which becomes the last of `kept_`. Adds the times.
  void provide(const Combination::Item& item, const PlacedSource& wanted, ComposedScene& times);
  /// Applies edits in place. Returns false if the part has to be uploaded anew.
  bool change(Kept& kept, const PlacedSource& wanted, ComposedScene& times);
  void drop_old(const Combination& shown);

  DeviceTurns& device_;
  Mailbox<std::string> faults_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Order> order_;
  std::shared_ptr<const ComposedScene> made_;
  bool stopping_ = false;
  std::atomic<bool> busy_{false};
  std::deque<Kept> kept_;  // newest last; used by the thread only
  std::thread thread_;     // last member: the thread uses all of the above
};

}  // namespace mote
