#include "app/viewer/workers/scene_composer.h"

#include <algorithm>

#include "app/viewer/workers/seconds.h"
#include "core/error.h"
#include "core/worker_fault.h"
#include "model/still_splats.h"
#include "splats/extent.h"

namespace mote {
namespace {

// Limits for older combinations; the newest one is always kept.
constexpr std::size_t kMostKept = 3, kMostKept_bytes = std::size_t{2} << 30;

}  // namespace

bool same_documents(const Combination& a, const Combination& b) {
  return std::ranges::equal(
      a.items, b.items, [](const Combination::Item& one, const Combination::Item& other) {
        return one.document == other.document && one.revision == other.revision;
      });
}

SceneComposer::SceneComposer(DeviceTurns& device) : device_(device), thread_([this] { work(); }) {}

SceneComposer::~SceneComposer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SceneComposer::ask(Combination combination, std::vector<MergePart> parts) {
  CHECK(!parts.empty() && parts.size() == combination.items.size());
  {
    const std::lock_guard lock(mutex_);
    order_ = {std::move(combination), std::move(parts)};
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
  for (const auto& scene : kept_) {
    if (scene->combination != order.combination) continue;
    auto found = scene;
    keep(found);
    return found;
  }
  auto scene = std::make_shared<ComposedScene>();
  double start_s = now_s();
  SplatCloud cloud = merged(order.parts);
  order.parts.clear();
  scene->combination = std::move(order.combination);
  scene->splats = cloud.count();
  scene->bytes = cloud.memory_bytes();
  scene->sh_degree = cloud.sh_degree();
  scene->antialiased = cloud.antialiased;
  const SceneExtent extent = scene_extent(cloud);
  scene->merge_ms = 1e3 * (now_s() - start_s);
  if (cloud.count() > 0) {
    const DeviceTurns::Turn turn(device_, DeviceUser::upload);
    start_s = now_s();
    scene->model = std::make_unique<StillSplats>(turn.backend(), std::move(cloud), extent);
    scene->upload_ms = 1e3 * (now_s() - start_s);
  }
  keep(scene);
  return scene;
}

void SceneComposer::keep(std::shared_ptr<const ComposedScene> scene) {
  std::erase(kept_, scene);
  std::size_t bytes = 0;
  for (const auto& other : kept_) bytes += other->bytes;
  while (!kept_.empty() && (kept_.size() >= kMostKept || bytes > kMostKept_bytes)) {
    bytes -= kept_.front()->bytes;
    kept_.pop_front();
  }
  kept_.push_back(std::move(scene));
}

}  // namespace mote
