#include "app/viewer/document/editable_scene.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>

#include "model/still_splats.h"
#include "splats/drawn_state.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

/// Replaces single splats on the device, and marks those that are selected.
class SplatUpdate : public ModelUpdate {
 public:
  SplatUpdate(std::weak_ptr<const EditableScene> scene, const SplatEditor& editor)
      : scene_(std::move(scene)), state_(editor.drawn_state()), marked_(state_.held.count()) {
    collect_marks(editor);
  }

  bool collect() override {
    const auto scene = scene_.lock();
    if (!scene) return false;
    std::optional<SplatChange> change = scene->look([this](const SplatEditor& editor) {
      std::optional<SplatChange> found = editor.change_since(state_);
      if (found) collect_marks(editor);
      return found;
    });
    if (!change) return false;
    change_ = *std::move(change);
    return true;
  }
  void apply(Drawable& model) override {
    auto& splats = dynamic_cast<StillSplats&>(model);
    if (!change_.splats.empty()) splats.update(change_.splats, std::move(change_.values));
    change_ = {};
    if (std::exchange(new_marks_, false)) splats.mark(marked_);
  }
  std::uint64_t count() const override { return state_.shown.count(); }

 private:
  void collect_marks(const SplatEditor& editor) {
    SplatMask marks = gathered(editor.selected(), state_.held);
    new_marks_ |= marks != marked_;
    marked_ = std::move(marks);
  }

  std::weak_ptr<const EditableScene> scene_;
  DrawnState state_;
  SplatChange change_;
  SplatMask marked_;        // among the splats that the device holds
  bool new_marks_ = false;  // the device does not know marked_
};

std::shared_ptr<const std::vector<glm::vec3>> places_of(const SplatEditor& editor) {
  const std::vector<std::uint32_t> selected = editor.selected().indices();
  if (selected.empty()) return nullptr;
  const std::size_t stride =
      (selected.size() + EditState::kMostPlaces - 1) / EditState::kMostPlaces;
  auto places = std::make_shared<std::vector<glm::vec3>>();
  const SplatCloud& cloud = editor.cloud();
  for (std::size_t i = 0; i < selected.size(); i += stride) {
    const std::uint32_t splat = selected[i];
    places->emplace_back(cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
                         cloud.at(splat, Field::mean_z));
  }
  return places;
}

std::optional<SceneExtent> selection_extent(const SplatEditor& editor,
                                            const std::vector<glm::vec3>* places) {
  if (places == nullptr) return {};
  glm::dvec3 sum(0);
  std::size_t count = 0;
  const SplatCloud& cloud = editor.cloud();
  for (const std::uint32_t splat : editor.selected().indices()) {
    const glm::dvec3 mean(cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
                          cloud.at(splat, Field::mean_z));
    if (!std::isfinite(mean.x + mean.y + mean.z)) continue;
    sum += mean;
    ++count;
  }
  if (count == 0) return {};
  SceneExtent extent{.center = sum / static_cast<double>(count)};
  std::vector<double> distances;
  for (const glm::vec3& place : *places) {
    const double distance = glm::length(glm::dvec3(place) - extent.center);
    if (std::isfinite(distance)) distances.push_back(distance);
  }
  extent.radius = 0;
  if (distances.empty()) return extent;
  constexpr double kShare = 0.98;
  const auto most = distances.begin() +
                    static_cast<std::ptrdiff_t>(kShare * static_cast<double>(distances.size() - 1));
  std::nth_element(distances.begin(), most, distances.end());
  extent.radius = *most;
  return extent;
}

}  // namespace

ModelSource::Copy EditableScene::copy() const {
  const std::lock_guard lock(mutex_);
  return {.model = std::make_unique<HostSplats>(editor_.drawn()),
          .update = std::make_unique<SplatUpdate>(weak_from_this(), editor_)};
}

SplatCloud EditableScene::exported() const {
  const std::lock_guard lock(mutex_);
  return editor_.exported();
}

std::pair<SplatCloud, std::uint64_t> EditableScene::exported_content() const {
  const std::lock_guard lock(mutex_);
  return {editor_.exported(), editor_.content()};
}

EditState EditableScene::state() const {
  const std::lock_guard lock(mutex_);
  return describe();
}

EditState EditableScene::change(const std::function<void(SplatEditor&)>& edit) {
  const std::lock_guard lock(mutex_);
  edit(editor_);
  return describe();
}

EditState EditableScene::describe() const {
  const auto places = places_of(editor_);
  const bool moves = editor_.cloud().moves();
  if (moves && (trails_ == nullptr || trails_of_ != editor_.content())) {
    trails_ = std::make_shared<MotionTrails>(editor_.cloud(), editor_.deleted());
    trails_of_ = editor_.content();
  }
  return {.revision = editor_.revision(),
          .content = editor_.content(),
          .selection_number = editor_.selection_number(),
          .splats = editor_.cloud().count() - editor_.deleted().count(),
          .selected = editor_.selected().count(),
          .hidden = editor_.hidden().count(),
          .undo_name = std::string(editor_.undo_name()),
          .redo_name = std::string(editor_.redo_name()),
          .colors = editor_.colors(),
          .placed = editor_.placed(),
          .placements = editor_.placements(),
          .selection = std::make_shared<SplatMask>(editor_.selected()),
          .selected_places = places,
          .selection_extent = selection_extent(editor_, places.get()),
          .undo_steps = editor_.undo_steps(),
          .redo_steps = editor_.redo_steps(),
          .history_bytes = editor_.history_bytes(),
          .times = moves ? editor_.cloud().times : SceneTimes(),
          .trails = trails_};
}

}  // namespace mote
