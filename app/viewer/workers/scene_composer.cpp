#include "app/viewer/workers/scene_composer.h"

#include <algorithm>

#include "app/viewer/workers/seconds.h"
#include "core/error.h"
#include "core/worker_fault.h"

namespace mote {
namespace {

// Limits for documents that are not shown.
constexpr std::size_t kMostKept = 3, kMostKept_bytes = std::size_t{2} << 30;

}  // namespace

SceneComposer::SceneComposer(DeviceTurns& device) : device_(device), thread_([this] { work(); }) {}

SceneComposer::~SceneComposer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SceneComposer::ask(Combination combination, std::vector<PlacedSource> sources) {
  CHECK(!sources.empty() && sources.size() == combination.items.size());
  {
    const std::lock_guard lock(mutex_);
    order_ = {std::move(combination), std::move(sources)};
    busy_ = true;
  }
  changed_.notify_all();
}

std::shared_ptr<const ComposedScene> SceneComposer::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(made_, nullptr);
}

void SceneComposer::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    busy_ = order_.has_value();
    changed_.wait(lock, [&] { return stopping_ || order_.has_value(); });
    if (stopping_) return;
    Order order = *std::exchange(order_, {});
    lock.unlock();
    std::shared_ptr<const ComposedScene> scene;
    const auto fault = fault_of([&] { scene = make(std::move(order)); });
    if (fault) faults_.put(*fault);
    lock.lock();
    if (scene) made_ = std::move(scene);
  }
}

std::shared_ptr<const ComposedScene> SceneComposer::make(Order order) {
  auto scene = std::make_shared<ComposedScene>();
  scene->combination = std::move(order.combination);
  for (std::size_t i = 0; i < order.sources.size(); ++i) {
    provide(scene->combination.items[i], order.sources[i], *scene);
    scene->parts.push_back(kept_.back().part);
    scene->places.push_back(order.sources[i].transform);
  }
  drop_old(scene->combination);
  assemble(*scene, device_);
  return scene;
}

void SceneComposer::provide(const Combination::Item& item, const PlacedSource& wanted,
                            ComposedScene& times) {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.item.document == item.document && kept.item.moment == item.moment;
  });
  Kept kept;
  if (found != kept_.end()) {
    kept = std::move(*found);
    kept_.erase(found);  // an error leaves nothing half changed behind
  }
  if (kept.item != item && !change(kept, wanted, times)) {
    kept = {};  // frees the memory first, unless the view still shows it
    const double start_s = now_s();
    auto [cloud, state] = wanted.scene->drawn_with_state();
    times.merge_ms += 1e3 * (now_s() - start_s);
    const double upload_s = now_s();
    kept.part = uploaded(std::move(cloud), wanted.extent, device_);
    times.upload_ms += 1e3 * (now_s() - upload_s);
    kept.state = std::move(state);
    kept.source = wanted.scene;
  }
  kept.item = item;
  kept_.push_back(std::move(kept));
}

bool SceneComposer::change(Kept& kept, const PlacedSource& wanted, ComposedScene& times) {
  HeldScene* scene = kept.part.scene.get();
  if (scene == nullptr || scene->holds > 0 || kept.source.lock() != wanted.scene) return false;
  double start_s = now_s();
  auto change = wanted.scene->change_since(kept.state);
  times.merge_ms += 1e3 * (now_s() - start_s);
  if (!change) return false;
  start_s = now_s();
  if (!change->splats.empty()) {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    turn.backend().update(*scene->device, change->splats, std::move(change->values));
  }
  kept.part.splats = kept.state.shown.count();
  times.upload_ms += 1e3 * (now_s() - start_s);
  return true;
}

void SceneComposer::drop_old(const Combination& shown) {
  const auto hidden = [&](const Kept& kept) {
    return std::ranges::find(shown.items, kept.item) == shown.items.end();
  };
  std::size_t number = 0, bytes = 0;
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    if (!hidden(*kept)) continue;
    bytes += kept->part.bytes;
    if (++number > kMostKept || bytes > kMostKept_bytes) kept->part = {};
  }
  std::erase_if(kept_, [&](const Kept& kept) { return hidden(kept) && !kept.part.scene; });
}

}  // namespace mote
