#include "splats/splat_editor.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.h"
#include "splats/selection_growth.h"
#include "splats/time_cut.h"

namespace mote {

SplatEditor::SplatEditor(SplatCloud cloud, std::size_t history_limit_bytes)
    : cloud_(std::move(cloud)), changed_(cloud_.count()), limit_bytes_(history_limit_bytes) {
  const SplatMask none(cloud_.count());
  state_ = {none, none, none, {}};
}

SplatMask SplatEditor::shown() const {
  SplatMask mask(cloud_.count(), true);
  mask.combine(state_.hidden, MaskOperation::subtract);
  mask.combine(state_.deleted, MaskOperation::subtract);
  return mask;
}

bool SplatEditor::select(SplatMask picked, MaskOperation operation) {
  picked.combine(shown(), MaskOperation::intersect);
  State next = state_;
  next.selected.combine(picked, operation);
  return commit("select", next);
}

bool SplatEditor::select_all() {
  return select(SplatMask(cloud_.count(), true), MaskOperation::replace);
}

bool SplatEditor::select_none() {
  return select(SplatMask(cloud_.count()), MaskOperation::replace);
}

bool SplatEditor::invert_selection() {
  SplatMask others = state_.selected;
  others.invert();
  return select(std::move(others), MaskOperation::replace);
}

bool SplatEditor::grow_selection(double distance, const SeenFrom& from) {
  return select(grown(cloud_, state_.selected, shown(), distance, from), MaskOperation::replace);
}

bool SplatEditor::shrink_selection(double distance, const SeenFrom& from) {
  return select(shrunk(cloud_, state_.selected, shown(), distance, from), MaskOperation::replace);
}

bool SplatEditor::delete_selected(std::string_view name) {
  State next = state_;
  next.deleted.combine(state_.selected, MaskOperation::add);
  next.selected = SplatMask(cloud_.count());
  return commit(name, next);
}

bool SplatEditor::keep_only(const SplatMask& kept, std::string_view name) {
  State next = state_;
  SplatMask others = shown();
  others.combine(kept, MaskOperation::subtract);
  next.deleted.combine(others, MaskOperation::add);
  next.selected.combine(others, MaskOperation::subtract);
  return commit(name, next);
}

bool SplatEditor::crop(const OrientedBox& box) {
  return keep_only(pick_in_box(cloud_, box), "crop");
}

bool SplatEditor::crop_time(const LifeRange& range) {
  return keep_only(living_in(cloud_, range), "crop in time");
}

bool SplatEditor::hide_selected() {
  State next = state_;
  next.hidden.combine(state_.selected, MaskOperation::add);
  next.selected = SplatMask(cloud_.count());
  return commit("hide", next);
}

bool SplatEditor::isolate_selected() {
  if (!state_.selected.any()) return false;
  State next = state_;
  SplatMask others = shown();
  others.combine(state_.selected, MaskOperation::subtract);
  next.hidden.combine(others, MaskOperation::add);
  return commit("isolate", next);
}

bool SplatEditor::show_all() {
  State next = state_;
  next.hidden = SplatMask(cloud_.count());
  return commit("show all", next);
}

bool SplatEditor::duplicate_selected() {
  const SplatMask sources = state_.selected;
  if (!sources.any()) return false;
  const std::size_t before = cloud_.count(), copies = sources.count();
  append_copies();
  Step step{.name = "duplicate", .copies = copies};
  SplatMask appended(before + copies, true);
  SplatMask originals(before, true);
  originals.resize(before + copies);
  appended.combine(originals, MaskOperation::subtract);
  step.selected = MaskDelta(state_.selected, appended);
  step.colors_before = step.colors_after = state_.colors;
  toggle(step);
  push(std::move(step));
  return true;
}

bool SplatEditor::append(SplatCloud splats, const SplatMask& hidden) {
  CHECK(hidden.size() == splats.count());
  if (splats.count() == 0) return false;
  check_alike(splats, cloud_);
  const auto back = inverted(color_map(state_.colors));
  if (!back) {
    throw Error("its colours are reduced to fewer, which cannot be undone for other splats",
                "the scene", "reset its colours, or export it and open the file");
  }
  if (state_.colors != ColorAdjustment()) map_colors(splats, *back);
  const std::size_t before = cloud_.count();
  Step step{.name = "merge", .appended = splats.count(), .sh_degree = cloud_.sh_degree()};
  append_splats(splats);
  SplatMask now_hidden = state_.hidden;
  for (const std::uint32_t splat : hidden.indices()) now_hidden.set(before + splat, true);
  step.hidden = MaskDelta(state_.hidden, now_hidden);
  step.colors_before = step.colors_after = state_.colors;
  toggle(step);
  push(std::move(step));
  return true;
}

bool SplatEditor::transform_selected(const Similarity& change, bool continued) {
  constexpr std::string_view kName = "transform";
  if (continued && !undo_.empty() && undo_.back().name == kName) {
    redo_.clear();
    Step& step = undo_.back();
    step.moved.set_change(change);
    move(step, false);
    content_ = step.content_after = ++last_content_;
    return true;
  }
  if (!state_.selected.any() || is_identity(change)) return false;
  Step step{.name = kName, .colors_before = state_.colors, .colors_after = state_.colors};
  step.moved = MovedSplats(cloud_, state_.selected);
  step.moved.set_change(change);
  move(step, false);
  push(std::move(step));
  return true;
}

void SplatEditor::move(const Step& step, bool undo) {
  if (step.moved.empty()) return;
  undo ? step.moved.undo(cloud_) : step.moved.apply(cloud_);
  moves_.add(step.moved.splats());
  note_changed(step.moved.splats());
  ++revision_;
}

bool SplatEditor::set_colors(const ColorAdjustment& colors, bool continued) {
  if (colors == state_.colors) return false;
  constexpr std::string_view kName = "colours";
  if (continued && !undo_.empty() && undo_.back().name == kName) {
    redo_.clear();
    undo_.back().colors_after = colors;
    state_.colors = colors;
    content_ = undo_.back().content_after = ++last_content_;
    ++revision_;
    return true;
  }
  State next = state_;
  next.colors = colors;
  return commit(kName, next);
}

bool SplatEditor::place(const Similarity& before, const Similarity& after, bool continued) {
  ++placements_;
  placed_ = after;
  if (before == after) return false;
  constexpr std::string_view kName = "scene transform";
  if (continued && !undo_.empty() && undo_.back().name == kName) {
    redo_.clear();
    undo_.back().place_after = after;
    return true;
  }
  push({.name = kName,
        .colors_before = state_.colors,
        .colors_after = state_.colors,
        .place_before = before,
        .place_after = after});
  return true;
}

bool SplatEditor::commit(std::string_view name, const State& next) {
  Step step{.name = name,
            .selected = MaskDelta(state_.selected, next.selected),
            .hidden = MaskDelta(state_.hidden, next.hidden),
            .deleted = MaskDelta(state_.deleted, next.deleted),
            .colors_before = state_.colors,
            .colors_after = next.colors};
  if (step.selected.empty() && !step.changes_picture()) return false;
  state_ = next;
  if (step.changes_picture()) ++revision_;
  if (!step.selected.empty()) ++selection_number_;
  push(std::move(step));
  return true;
}

void SplatEditor::push(Step step) {
  step.content_before = content_;
  if (step.changes_content()) content_ = ++last_content_;
  step.content_after = content_;
  redo_.clear();
  undo_.push_back(std::move(step));
  while (undo_.size() > 1 && history_bytes() > limit_bytes_) undo_.pop_front();
}

void SplatEditor::append_copies() {
  std::vector<std::uint32_t> order(cloud_.count());
  std::iota(order.begin(), order.end(), 0u);
  const std::vector<std::uint32_t> sources = state_.selected.indices();
  order.insert(order.end(), sources.begin(), sources.end());
  for (SplatMask* mask : {&state_.selected, &state_.hidden, &state_.deleted}) {
    mask->resize(order.size());
  }
  cloud_ = reordered(cloud_, order);
  ++cloud_number_;
  moves_.forget();
}

void SplatEditor::append_splats(const SplatCloud& splats) {
  cloud_ = joined(cloud_, splats);
  moves_.forget();
  for (SplatMask* mask : {&state_.selected, &state_.hidden, &state_.deleted}) {
    mask->resize(cloud_.count());
  }
  ++cloud_number_;
}

/// Removes the splats that the step appended.
void SplatEditor::take_off(Step& step) {
  const std::size_t before = cloud_.count() - step.copies - step.appended;
  if (step.appended > 0) {
    std::vector<std::uint32_t> order(step.appended);
    std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(before));
    step.removed = reordered(cloud_, order);
    cloud_.truncate_sh(step.sh_degree);
  }
  cloud_.truncate(before);
  ++cloud_number_;
  moves_.forget();
  for (SplatMask* mask : {&state_.selected, &state_.hidden, &state_.deleted}) {
    mask->resize(before);
  }
}

void SplatEditor::toggle(const Step& step) {
  step.selected.toggle(state_.selected);
  step.hidden.toggle(state_.hidden);
  step.deleted.toggle(state_.deleted);
  if (step.changes_picture()) ++revision_;
  if (!step.selected.empty()) ++selection_number_;
}

bool SplatEditor::undo() {
  if (undo_.empty()) return false;
  Step step = std::move(undo_.back());
  undo_.pop_back();
  toggle(step);
  move(step, true);
  state_.colors = step.colors_before;
  content_ = step.content_before;
  if (step.place_before) placed_ = step.place_before;
  if (step.copies + step.appended > 0) take_off(step);
  redo_.push_back(std::move(step));
  return true;
}

bool SplatEditor::redo() {
  if (redo_.empty()) return false;
  Step step = std::move(redo_.back());
  redo_.pop_back();
  if (step.copies > 0) append_copies();
  if (step.appended > 0) append_splats(std::exchange(step.removed, {}));
  toggle(step);
  move(step, false);
  state_.colors = step.colors_after;
  content_ = step.content_after;
  if (step.place_after) placed_ = step.place_after;
  undo_.push_back(std::move(step));
  return true;
}

bool SplatEditor::take_back(std::string_view name) {
  if (undo_name() != name || !undo()) return false;
  redo_.clear();
  return true;
}

std::string_view SplatEditor::undo_name() const {
  return undo_.empty() ? std::string_view() : undo_.back().name;
}

std::string_view SplatEditor::redo_name() const {
  return redo_.empty() ? std::string_view() : redo_.back().name;
}

std::size_t SplatEditor::history_bytes() const {
  std::size_t bytes = 0;
  for (const auto* steps : {&undo_, &redo_}) {
    for (const Step& step : *steps) bytes += step.memory_bytes();
  }
  return bytes;
}

std::size_t SplatEditor::Step::memory_bytes() const {
  return sizeof(Step) + removed.memory_bytes() + selected.memory_bytes() + hidden.memory_bytes() +
         deleted.memory_bytes() + moved.memory_bytes();
}

bool SplatEditor::Step::changes_content() const {
  return copies + appended > 0 || !deleted.empty() || !moved.empty() ||
         colors_before != colors_after;
}

bool SplatEditor::Step::changes_picture() const {
  return changes_content() || !hidden.empty();
}

SplatCloud SplatEditor::copy_of(const SplatMask& kept) const {
  SplatCloud copy = reordered(cloud_, kept.indices());
  adjust_colors(copy, state_.colors);
  return copy;
}

SplatCloud SplatEditor::drawn() const {
  return copy_of(shown());
}

DrawnState SplatEditor::drawn_state() const {
  const SplatMask now = shown();
  return {.cloud = cloud_number_,
          .moves = moves_.number(),
          .colors = state_.colors,
          .held = now,
          .shown = now};
}

std::optional<SplatChange> SplatEditor::change_since(DrawnState& state) const {
  // Above these shares of the splats held, a complete upload costs little more and frees memory.
  constexpr std::size_t kMostChanged = 8, kMostHidden = 4;  // 1/8 and 1/4 of the splats held
  if (state.cloud != cloud_number_ || state.colors != state_.colors) return {};
  const auto moved = moves_.since(state.moves, cloud_.count());
  if (!moved) return {};
  SplatMask now = shown();
  SplatMask changed = *moved;
  changed.combine(now, MaskOperation::intersect);
  changed.combine(difference(now, state.shown), MaskOperation::add);
  SplatMask missing = changed;
  missing.combine(state.held, MaskOperation::subtract);
  const std::size_t held = state.held.count();
  if (missing.any() || changed.count() * kMostChanged > held ||
      (held - now.count()) * kMostHidden > held) {
    return {};
  }
  const std::vector<std::uint32_t> splats = changed.indices();
  SplatChange change{.splats = ranks_in(state.held, splats), .values = reordered(cloud_, splats)};
  adjust_colors(change.values, state_.colors);
  for (std::size_t i = 0; i < splats.size(); ++i) {
    constexpr float kNone = -std::numeric_limits<float>::infinity();  // the logit of opacity 0
    if (!now.test(splats[i])) change.values.at(i, Field::logit_opacity) = kNone;
  }
  state.shown = std::move(now);
  state.moves = moves_.number();
  return change;
}

SplatCloud SplatEditor::exported() const {
  SplatMask kept = state_.deleted;
  kept.invert();
  return copy_of(kept);
}

SplatMask SplatEditor::hidden_of_exported() const {
  SplatMask kept = state_.deleted;
  kept.invert();
  return gathered(state_.hidden, kept);
}

}  // namespace mote
