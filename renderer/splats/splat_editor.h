#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "scene/similarity.h"
#include "splats/color_adjustment.h"
#include "splats/drawn_state.h"
#include "splats/life_range.h"
#include "splats/mask_delta.h"
#include "splats/moved_splats.h"
#include "splats/picking.h"
#include "splats/splat_cloud.h"
#include "splats/splat_edits.h"
#include "splats/splat_mask.h"

namespace mote {

/// A cloud that is being edited: selected, hidden and deleted splats, a colour adjustment, a
/// placement, and the undo history. Deleted splats stay in the cloud. A step of the history
/// therefore stores only changed bits. If the history exceeds its limit, the oldest steps are
/// dropped. Not thread safe.
///
/// A call that changes nothing adds no step and returns false.
class SplatEditor {
 public:
  static constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;

  explicit SplatEditor(SplatCloud cloud, std::size_t history_limit_bytes = kHistoryBytes);

  /// All splats, including deleted ones; colours without the adjustment.
  const SplatCloud& cloud() const { return cloud_; }
  const SplatMask& selected() const { return state_.selected; }
  const SplatMask& hidden() const { return state_.hidden; }
  const SplatMask& deleted() const { return state_.deleted; }
  const ColorAdjustment& colors() const { return state_.colors; }
  /// The splats that are neither hidden nor deleted. Only these are drawn and can be selected.
  SplatMask shown() const;

  /// Combines the selection with `picked`, restricted to the splats shown.
  bool select(SplatMask picked, MaskOperation operation);
  bool select_all();
  bool select_none();
  bool invert_selection();
  /// grown() and shrunk() (splats/selection_growth.h) among the splats shown; world units.
  bool grow_selection(double distance, const SeenFrom& from = {});
  bool shrink_selection(double distance, const SeenFrom& from = {});

  /// `name`: the name of the step.
  bool delete_selected(std::string_view name = "delete");
  /// Deletes all splats shown whose mean is outside the box.
  bool crop(const OrientedBox& box);
  /// Deletes all splats shown that are seen at no time of the range.
  bool crop_time(const LifeRange& range);
  bool hide_selected();
  /// Hides all splats but the selected ones, which stay selected. Returns false without a
  /// selection.
  bool isolate_selected();
  bool show_all();
  /// Appends a copy of every selected splat and selects the copies instead. Throws Error if
  /// there would be more than 2^32 - 1 splats.
  bool duplicate_selected();
  /// Appends splats, which look as they are stored: the colour adjustment has no effect on them.
  /// `hidden`: those of them that are hidden. Throws Error if the kinds differ, if the adjustment
  /// cannot be inverted, or if there would be more than 2^32 - 1 splats.
  bool append(SplatCloud splats, const SplatMask& hidden);
  /// Moves, rotates and scales the selected splats, in the frame of the cloud. `continued`: part of
  /// the same gesture as the last call. Both then form one step, and `change` replaces the last
  /// one.
  bool transform_selected(const Similarity& change, bool continued = false);
  /// `continued`: part of the same gesture as the last call. Both then form one step.
  bool set_colors(const ColorAdjustment& colors, bool continued = false);
  /// Records that the caller moved, rotated or scaled the whole scene. The splats and drawn() do
  /// not change. `continued` as in set_colors().
  bool place(const Similarity& before, const Similarity& after, bool continued = false);
  /// The placement at this point of the history; empty before the first place().
  const std::optional<Similarity>& placed() const { return placed_; }
  /// Number of place() calls. The owner of the placement compares it with the calls that it made.
  std::uint64_t placements() const { return placements_; }

  bool undo();
  bool redo();
  /// Undoes the last step, if it has this name, without a redo: a gesture was given up.
  bool take_back(std::string_view name);
  /// Name of the step that undo() reverts, such as "delete"; empty if there is none.
  std::string_view undo_name() const;
  std::string_view redo_name() const;
  std::size_t undo_steps() const { return undo_.size(); }
  std::size_t redo_steps() const { return redo_.size(); }
  std::size_t history_bytes() const;

  /// Changes whenever the result of drawn() changes.
  std::uint64_t revision() const { return revision_; }
  /// Changes whenever selected() changes.
  std::uint64_t selection_number() const { return selection_number_; }
  /// Changes whenever the result of exported() changes. Undo restores the earlier number. 0 for the
  /// initial cloud.
  std::uint64_t content() const { return content_; }
  /// Changes whenever splats are added to or removed from cloud().
  std::uint64_t cloud_number() const { return cloud_number_; }
  /// The splats shown, with adjusted colours: for a backend.
  SplatCloud drawn() const;
  /// The state of a backend that holds drawn().
  DrawnState drawn_state() const;
  /// The change from an earlier `state` to the present one; sets `state` to the present one. If so
  /// much has changed that all of drawn() should be uploaded, returns nothing and leaves `state`.
  std::optional<SplatChange> change_since(DrawnState& state) const;
  /// All splats not deleted, hidden ones included, with adjusted colours: for a file.
  SplatCloud exported() const;
  /// The hidden ones among the splats of exported().
  SplatMask hidden_of_exported() const;
  /// The edits relative to the initial cloud; `whole`: relative to a cloud without splats.
  SplatEdits edits(bool whole = false) const;
  /// Applies the edits and colours of an earlier editor of the same cloud. Adds no step to the
  /// history. CHECKs that nothing was edited before, and that numbers and kinds of splats fit.
  void restore(const SplatEdits& edits, const ColorAdjustment& colors);
  /// The selected splats, with adjusted colours.
  SplatCloud selected_splats() const { return copy_of(state_.selected); }

 private:
  struct State {
    SplatMask selected, hidden, deleted;
    ColorAdjustment colors;
  };
  struct Step {
    std::string_view name;
    std::size_t copies = 0;    // number of appended copies of the selected splats
    std::size_t appended = 0;  // number of other appended splats
    int sh_degree = 0;         // before they were appended
    SplatCloud removed = {};   // the appended splats, while the step is undone
    MaskDelta selected = {}, hidden = {}, deleted = {};
    MovedSplats moved = {};
    ColorAdjustment colors_before = {}, colors_after = {};
    std::optional<Similarity> place_before = {}, place_after = {};  // for placements only
    std::uint64_t content_before = 0, content_after = 0;            // SplatEditor::content()

    std::size_t memory_bytes() const;
    bool changes_content() const;
    bool changes_picture() const;
  };

  bool commit(std::string_view name, const State& next);
  /// Deletes all splats shown that are not in the mask.
  bool keep_only(const SplatMask& kept, std::string_view name);
  void push(Step step);
  void move(const Step& step, bool undo);
  void note_changed(SplatMask splats);
  void append_copies();
  void append_splats(const SplatCloud& splats);
  void take_off(Step& step);
  void toggle(const Step& step);
  SplatCloud copy_of(const SplatMask& kept) const;

  SplatCloud cloud_;
  State state_;
  MoveLog moves_;
  SplatMask changed_;  // the initial splats that were ever moved
  std::deque<Step> undo_, redo_;
  std::size_t limit_bytes_;
  std::uint64_t revision_ = 0, placements_ = 0, cloud_number_ = 0;
  std::uint64_t content_ = 0, last_content_ = 0, selection_number_ = 0;
  std::optional<Similarity> placed_;
};

}  // namespace mote
