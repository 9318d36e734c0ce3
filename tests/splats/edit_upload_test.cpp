// Changes of an edited scene for a device that holds the state before.
#include <algorithm>
#include <optional>
#include <vector>

#include "support/editing_fixture.h"

namespace mote {
namespace {

/// What a device holds that was given drawn() and all changes since.
struct OnDevice {
  explicit OnDevice(const SplatEditor& editor)
      : cloud(editor.drawn()), state(editor.drawn_state()) {}

  /// Returns the number of splats changed; empty if the scene has to be uploaded anew.
  std::optional<std::size_t> follow(const SplatEditor& editor) {
    const auto change = editor.change_since(state);
    if (!change) return {};
    for (std::size_t i = 0; i < change->splats.size(); ++i) {
      copy_splat(change->values, i, cloud, change->splats[i]);
    }
    return change->splats.size();
  }
  /// The splats that are not hidden, in their order.
  SplatCloud visible() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < cloud.count(); ++i) {
      if (cloud.at(i, Field::logit_opacity) > -1e30f) order.push_back(i);
    }
    return reordered(cloud, order);
  }

  SplatCloud cloud;
  DrawnState state;
};

TEST_F(Editing, AChangeOfAFewSplatsNamesOnlyThese) {
  pick(100, 120);
  editor_.delete_selected();
  OnDevice device(editor_);  // 980 splats
  EXPECT_EQ(device.follow(editor_), 0u);
  pick(90, 140);
  editor_.hide_selected();
  EXPECT_EQ(device.follow(editor_), 30u);
  EXPECT_TRUE(same_cloud(device.visible(), editor_.drawn()));
  pick(0, 10);
  editor_.delete_selected();
  EXPECT_EQ(device.follow(editor_), 10u);
  EXPECT_TRUE(same_cloud(device.visible(), editor_.drawn()));
  editor_.undo();
  editor_.show_all();
  EXPECT_EQ(device.follow(editor_), 40u);
  EXPECT_TRUE(same_cloud(device.visible(), editor_.drawn()));
  EXPECT_TRUE(same_cloud(device.cloud, editor_.drawn()));
}

TEST_F(Editing, LargeChangesAskForANewUpload) {
  OnDevice device(editor_);
  pick(0, 500);
  editor_.hide_selected();
  EXPECT_FALSE(device.follow(editor_)) << "half of the splats";
  editor_.undo();
  EXPECT_EQ(device.follow(editor_), 0u) << "the state was kept";
  pick(0, 3);
  editor_.duplicate_selected();
  EXPECT_FALSE(device.follow(editor_)) << "new splats";
  editor_.undo();
  EXPECT_FALSE(device.follow(editor_)) << "the cloud was replaced meanwhile";
  device = OnDevice(editor_);
  editor_.set_colors({.exposure = 0.5});
  EXPECT_FALSE(device.follow(editor_)) << "all colours";
  editor_.undo();
  pick(0, 3);
  editor_.delete_selected();
  device = OnDevice(editor_);
  editor_.undo();
  EXPECT_FALSE(device.follow(editor_)) << "splats that were not uploaded";
}

TEST_F(Editing, ManySmallChangesAskForANewUploadInTheEnd) {
  OnDevice device(editor_);
  std::size_t hidden = 0;
  for (; hidden < kCount; hidden += 50) {
    pick(hidden, hidden + 50);
    editor_.hide_selected();
    if (!device.follow(editor_)) break;
  }
  EXPECT_EQ(hidden, 250u) << "a quarter of what the device holds is hidden";
}

}  // namespace
}  // namespace mote
