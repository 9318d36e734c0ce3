#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "scene/color_adjustment.h"
#include "scene/mask_delta.h"
#include "scene/picking.h"
#include "scene/splat_cloud.h"
#include "scene/splat_mask.h"
#include "scene/transform.h"

namespace mote {

/// A cloud under edit: what is selected, hidden and deleted of it, how its colours are adjusted,
/// where it was put, and the way back. Splats stay where they are when they are deleted, so a step
/// of the history holds changed bits only; when the steps outgrow their limit, the oldest go. Not
/// thread safe.
///
/// What changes nothing makes no step and returns false.
class SplatEditor {
 public:
  static constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;

  explicit SplatEditor(SplatCloud cloud, std::size_t history_limit_bytes = kHistoryBytes);

  /// All splats, deleted ones as well; colours without the adjustment.
  const SplatCloud& cloud() const { return cloud_; }
  const SplatMask& selected() const { return state_.selected; }
  const SplatMask& hidden() const { return state_.hidden; }
  const SplatMask& deleted() const { return state_.deleted; }
  const ColorAdjustment& colors() const { return state_.colors; }
  /// Neither hidden nor deleted: what is seen, and can be selected.
  SplatMask shown() const;

  /// Brings what was picked, as far as it is shown, to the selection.
  bool select(SplatMask picked, MaskOperation operation);
  bool select_all();
  bool select_none();
  bool invert_selection();
  /// By grown() and shrunk() (scene/selection_growth.h) among the splats shown; world units.
  bool grow_selection(double distance);
  bool shrink_selection(double distance);

  bool delete_selected();
  /// Deletes all that is shown outside the box.
  bool crop(const OrientedBox& box);
  bool hide_selected();
  bool show_all();
  /// Appends a copy of every selected splat, and selects the copies instead. Throws Error where
  /// there would be more than 2^32 - 1 splats.
  bool duplicate_selected();
  /// `continued`: part of the same gesture as the last call, with which it makes one step.
  bool set_colors(const ColorAdjustment& colors, bool continued = false);
  /// The whole was moved, turned or resized by who keeps its place: neither the splats nor drawn()
  /// change. `continued` as of set_colors().
  bool place(const Similarity& before, const Similarity& after, bool continued = false);
  /// Where the history has it stand; none before the first place().
  const std::optional<Similarity>& placed() const { return placed_; }
  /// How often place() was called, so that who keeps the place can tell whether all has arrived.
  std::uint64_t placements() const { return placements_; }

  bool undo();
  bool redo();
  /// What undo() would undo, for a person: "delete"; empty where there is nothing.
  std::string_view undo_name() const;
  std::string_view redo_name() const;
  std::size_t undo_steps() const { return undo_.size(); }
  std::size_t redo_steps() const { return redo_.size(); }
  std::size_t history_bytes() const;

  /// Another number whenever drawn() would give another scene.
  std::uint64_t revision() const { return revision_; }
  /// Another number whenever exported() would give another scene, and the same one again once that
  /// is taken back; 0 for the cloud as it came.
  std::uint64_t content() const { return content_; }
  /// What is shown, with its colours adjusted: for a backend.
  SplatCloud drawn() const;
  /// All that is not deleted, hidden splats included, with its colours adjusted: for a file.
  SplatCloud exported() const;

 private:
  struct State {
    SplatMask selected, hidden, deleted;
    ColorAdjustment colors;
  };
  struct Step {
    std::string_view name;
    std::size_t copies = 0;  // of what is selected before the step, appended
    MaskDelta selected = {}, hidden = {}, deleted = {};
    ColorAdjustment colors_before = {}, colors_after = {};
    std::optional<Similarity> place_before = {}, place_after = {};  // of placements alone
    std::uint64_t content_before = 0, content_after = 0;            // SplatEditor::content()

    std::size_t memory_bytes() const;
    bool changes_content() const;
    bool changes_picture() const;
  };

  bool commit(std::string_view name, const State& next);
  void push(Step step);
  void append_copies();
  void toggle(const Step& step);
  SplatCloud copy_of(const SplatMask& kept) const;

  SplatCloud cloud_;
  State state_;
  std::deque<Step> undo_, redo_;
  std::size_t limit_bytes_;
  std::uint64_t revision_ = 0, placements_ = 0;
  std::uint64_t content_ = 0, last_content_ = 0;
  std::optional<Similarity> placed_;
};

}  // namespace mote
