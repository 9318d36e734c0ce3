// The edits of an editor as a whole, without its history.
#include "splats/splat_edits.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "splats/splat_editor.h"

namespace mote {

/// Adds to the splats whose values may differ from those of the initial cloud.
void SplatEditor::note_changed(SplatMask splats) {
  splats.resize(changed_.size());
  changed_.combine(splats, MaskOperation::add);
}

SplatEdits SplatEditor::edits(bool whole) const {
  SplatEdits edits{.selected = state_.selected,
                   .hidden = state_.hidden,
                   .deleted = state_.deleted,
                   .changed = whole ? SplatMask() : changed_};
  std::vector<std::uint32_t> order = edits.changed.indices();
  for (std::size_t i = edits.in_file(); i < cloud_.count(); ++i) {
    order.push_back(static_cast<std::uint32_t>(i));
  }
  edits.values = reordered(cloud_, order);
  if (whole && cloud_.deformation != nullptr) {
    throw Error("a project does not hold the deformation field of a part of a scene", "the splats",
                "export the part as .ply first");
  }
  if (whole && cloud_.decoder != nullptr) {
    throw Error("a project does not hold the network of a part of a scene with features",
                "the splats", "export the part as .ply first");
  }
  return edits;
}

void SplatEditor::restore(const SplatEdits& edits, const ColorAdjustment& colors) {
  const std::vector<std::uint32_t> changed = edits.changed.indices();
  CHECK(undo_.empty() && redo_.empty() && revision_ == 0);
  CHECK(edits.in_file() == cloud_.count() && edits.values.kind() == cloud_.kind() &&
        edits.values.motion() == cloud_.motion());
  CHECK(changed.size() + edits.added() == edits.values.count());
  const int degree = std::max(cloud_.sh_degree(), edits.values.sh_degree());
  SplatCloud values = with_sh_degree(edits.values, degree);
  values.deformation = cloud_.deformation;
  values.decoder = cloud_.decoder;
  std::vector<std::uint32_t> added(edits.added());
  std::iota(added.begin(), added.end(), static_cast<std::uint32_t>(changed.size()));
  cloud_ = joined(with_sh_degree(cloud_, degree), reordered(values, added));
  for (std::size_t i = 0; i < changed.size(); ++i) copy_splat(values, i, cloud_, changed[i]);
  state_.hidden = edits.hidden;
  state_.deleted = edits.deleted;
  state_.selected = edits.selected;
  state_.selected.combine(shown(), MaskOperation::intersect);
  state_.colors = colors;
  changed_ = edits.changed;
  const bool other = values.count() > 0 || edits.deleted.any() || colors != ColorAdjustment();
  if (other) content_ = ++last_content_;
  ++revision_;
  ++selection_number_;
  ++cloud_number_;
  moves_.forget();
}

}  // namespace mote
