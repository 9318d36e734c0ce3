#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "app/gui/panel.h"

namespace mote::gui {

/// The part of the edit panel that selects splats by a histogram of one of their properties. A drag
/// over the histogram selects the splats in its range.
class PropertySelection {
 public:
  /// `document`: the active scene, of splats that can be edited.
  void draw(const PanelContext& context, const Document& document);

 private:
  /// `has_lives`: whether the splats move.
  void choose_property(const PanelContext& context, bool has_lives);
  void keep_counted(const PanelContext& context, const Document& document);
  void draw_histogram(const PanelContext& context, const SelectionHistogram& counts);
  void follow_drag(const PanelContext& context, const SelectionHistogram& counts, float left,
                   float width);
  void draw_range(const PanelContext& context, const SelectionHistogram& counts);
  void select(const PanelContext& context, std::string_view how) const;

  SplatProperty property_ = SplatProperty::opacity;
  std::uint64_t asked_of_ = 0;  // Session::last_request at the last request to count
  // The chosen range of values; empty: none.
  std::optional<std::pair<double, double>> range_;
  double grabbed_ = 0;  // fraction of the width at which the drag began
};

}  // namespace mote::gui
