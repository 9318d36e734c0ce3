#include "app/viewer/document/moving_edits.h"

#include <limits>
#include <utility>

namespace mote {
namespace {

/// The splats inside of all boxes.
SplatMask inside(const SplatCloud& cloud, const std::vector<OrientedBox>& boxes) {
  SplatMask kept(cloud.count(), true);
  for (const OrientedBox& box : boxes) {
    kept.combine(pick_in_box(cloud, box), MaskOperation::intersect);
  }
  return kept;
}

}  // namespace

bool changes_splats(const MovingEdit& edit) {
  return !edit.crops.empty() || !(edit.colors == ColorAdjustment{});
}

SplatCloud edited(const SplatCloud& cloud, const MovingEdit& edit) {
  SplatCloud copy = edit.crops.empty() ? with_sh_degree(cloud, cloud.sh_degree())
                                       : reordered(cloud, inside(cloud, edit.crops).indices());
  adjust_colors(copy, edit.colors);
  return copy;
}

void edit_in_place(SplatCloud& cloud, const MovingEdit& edit) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();  // the logit of opacity 0
  SplatMask outside = inside(cloud, edit.crops);
  outside.invert();
  for (const std::uint32_t splat : outside.indices()) cloud.at(splat, Field::logit_opacity) = kNone;
  adjust_colors(cloud, edit.colors);
}

void MovingEdits::push(std::string_view name, MovingEdit next, bool continued) {
  if (next.content != now_.content) ++revision_;
  const bool same_step = continued && redo_.empty() && !undo_.empty() && undo_.back().name == name;
  if (same_step) {
    now_ = std::move(next);
  } else {
    undo_.push_back({name, std::exchange(now_, std::move(next))});
    redo_.clear();
  }
}

void MovingEdits::crop(const OrientedBox& box) {
  MovingEdit next = now_;
  next.crops.push_back(box);
  next.content = ++last_content_;
  push("crop", std::move(next), false);
}

void MovingEdits::set_colors(const ColorAdjustment& colors, bool continued) {
  if (colors == now_.colors) return;
  MovingEdit next = now_;
  next.colors = colors;
  next.content = ++last_content_;
  push("colours", std::move(next), continued);
}

void MovingEdits::place(const Similarity& before, const Similarity& after, bool continued) {
  ++placements_;
  if (before == after) return;
  // The first placement has no earlier step that holds the original one.
  if (!now_.placed) now_.placed = before;
  MovingEdit next = now_;
  next.placed = after;
  push("scene transform", std::move(next), continued);
}

void MovingEdits::step(std::vector<Step>& from, std::vector<Step>& to) {
  if (from.empty()) return;
  Step last = std::move(from.back());
  from.pop_back();
  if (last.other.content != now_.content) ++revision_;
  to.push_back({last.name, std::exchange(now_, std::move(last.other))});
}

void MovingEdits::undo() {
  step(undo_, redo_);
}

void MovingEdits::redo() {
  step(redo_, undo_);
}

void MovingEdits::take_back(std::string_view name) {
  if (undo_.empty() || undo_.back().name != name) return;
  undo();
  redo_.clear();
}

EditState MovingEdits::state(std::size_t splats) const {
  return {.revision = revision_,
          .content = now_.content,
          .splats = splats,
          .undo_name = undo_.empty() ? "" : std::string(undo_.back().name),
          .redo_name = redo_.empty() ? "" : std::string(redo_.back().name),
          .colors = now_.colors,
          .placed = now_.placed,
          .placements = placements_,
          .undo_steps = undo_.size(),
          .redo_steps = redo_.size()};
}

}  // namespace mote
