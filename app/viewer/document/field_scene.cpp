#include "app/viewer/document/field_scene.h"

namespace mote {
namespace {

constexpr const char* kBox = "the crop box";

}  // namespace

FieldScene::FieldScene(NeuralField field) : host_(std::move(field)) {}

std::pair<NeuralField, std::uint64_t> FieldScene::cropped_content() const {
  NeuralField field = host_.field();
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < done_; ++i) crop_or_refuse(field, crops_[i].box, kBox);
  return {std::move(field), content()};
}

std::vector<OrientedBox> FieldScene::crops() const {
  const std::lock_guard lock(mutex_);
  std::vector<OrientedBox> boxes;
  for (std::size_t i = 0; i < done_; ++i) boxes.push_back(crops_[i].box);
  return boxes;
}

NeuralField FieldScene::cropped() const {
  return cropped_content().first;
}

void FieldScene::crop(const OrientedBox& box) {
  const std::lock_guard lock(mutex_);
  const NeuralField& whole = host_.field();
  NeuralField facts;  // without parameters
  facts.application = whole.application;
  facts.placement = whole.placement;
  facts.render_box = whole.render_box;
  for (std::size_t i = 0; i < done_; ++i) crop_or_refuse(facts, crops_[i].box, kBox);
  crop_or_refuse(facts, box, kBox);
  crops_.resize(done_);
  crops_.push_back({box, ++last_content_});
  ++done_;
  ++revision_;
}

void FieldScene::undo() {
  const std::lock_guard lock(mutex_);
  if (done_ == 0) return;
  --done_;
  ++revision_;
}

void FieldScene::redo() {
  const std::lock_guard lock(mutex_);
  if (done_ == crops_.size()) return;
  ++done_;
  ++revision_;
}

EditState FieldScene::state() const {
  const std::lock_guard lock(mutex_);
  return {.revision = revision_,
          .content = content(),
          .splats = static_cast<std::size_t>(host_.count()),
          .undo_name = done_ > 0 ? "crop" : "",
          .redo_name = done_ < crops_.size() ? "crop" : "",
          .undo_steps = done_,
          .redo_steps = crops_.size() - done_};
}

StillModel still_model(HostModel& model) {
  if (auto* field = dynamic_cast<HostField*>(&model)) {
    return {.field = std::make_shared<FieldScene>(field->take())};
  }
  return {.splats = std::make_shared<EditableScene>(model.take_splats())};
}

}  // namespace mote
