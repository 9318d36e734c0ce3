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
    scene->parts.back().points = order.sources[i].points;
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
    ModelSource::Copy copy = wanted.model->copy();
    times.merge_ms += 1e3 * (now_s() - start_s);
    const double upload_s = now_s();
    kept.part = uploaded(*copy.model, wanted.extent, device_);
    times.upload_ms += 1e3 * (now_s() - upload_s);
    kept.update = std::move(copy.update);
    if (kept.update && kept.part.model) {
      const DeviceTurns::Turn turn(device_, DeviceUser::upload);
      kept.update->apply(*kept.part.model->drawable);
    }
    kept.source = wanted.model;
  }
  kept.item = item;
  kept_.push_back(std::move(kept));
}

bool SceneComposer::change(Kept& kept, const PlacedSource& wanted, ComposedScene& times) {
  HeldModel* model = kept.part.model.get();
  if (model == nullptr || model->holds > 0 || !kept.update) return false;
  if (kept.source.lock() != wanted.model) return false;
  double start_s = now_s();
  const bool in_place = kept.update->collect();
  times.merge_ms += 1e3 * (now_s() - start_s);
  if (!in_place) return false;
  start_s = now_s();
  {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    kept.update->apply(*model->drawable);
  }
  kept.part.count = kept.update->count();
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
  std::erase_if(kept_, [&](const Kept& kept) { return hidden(kept) && !kept.part.model; });
}

}  // namespace mote
