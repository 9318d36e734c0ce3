// The edits of a scene as a whole, applied to the same scene in another editor.
#include "splats/splat_edits.h"

#include <gtest/gtest.h>

#include "splats/transform.h"
#include "support/editing_fixture.h"

namespace mote {
namespace {

class Restoring : public Editing {
 protected:
  /// An editor of the original scene with the edits of editor_.
  SplatEditor restored() const {
    SplatEditor other(with_sh_degree(original_, original_.sh_degree()));
    other.restore(editor_.edits(), editor_.colors());
    return other;
  }

  void expect_restored() const {
    const SplatEditor other = restored();
    EXPECT_TRUE(same_cloud(other.exported(), editor_.exported()));
    EXPECT_TRUE(same_cloud(other.drawn(), editor_.drawn()));
    EXPECT_EQ(other.selected(), editor_.selected());
    EXPECT_EQ(other.hidden(), editor_.hidden());
    EXPECT_EQ(other.colors(), editor_.colors());
    EXPECT_EQ(other.undo_steps(), 0u);
  }
};

TEST_F(Restoring, MasksAndColoursComeBack) {
  pick(100, 300);
  editor_.delete_selected();
  pick(400, 450);
  editor_.hide_selected();
  pick(500, 600);
  editor_.set_colors({.exposure = 0.5, .tint = {1, 0.5, 0.25}});
  expect_restored();
  EXPECT_EQ(editor_.edits().values.count(), 0u) << "masks need no values";
  EXPECT_NE(restored().content(), 0u);
}

TEST_F(Restoring, AnUneditedSceneHasNoEdits) {
  EXPECT_TRUE(editor_.edits().empty());
  EXPECT_EQ(restored().content(), 0u) << "its file holds it";
  pick(1, 2);
  EXPECT_FALSE(editor_.edits().empty());
  EXPECT_EQ(restored().content(), 0u) << "a selection is not a change";
}

TEST_F(Restoring, MovedSplatsComeBackExactly) {
  pick(10, 30);
  editor_.transform_selected({.scale = 1.3, .translation = {1, 2, 3}});
  expect_restored();
  EXPECT_EQ(editor_.edits().values.count(), 20u) << "only those that moved";
  editor_.undo();
  expect_restored();
}

TEST_F(Restoring, AddedSplatsComeBackWithTheirDegree) {
  pick(0, 5);
  editor_.duplicate_selected();
  SplatCloud others = with_sh_degree(original_, original_.sh_degree() + 1);
  others.sh(3, 4, 1) = 0.75f;
  SplatMask hidden(others.count());
  hidden.set(7, true);
  editor_.append(std::move(others), hidden);
  pick(2, 4);
  editor_.transform_selected({.translation = {0, 0, 1}});
  expect_restored();
  // Later edits are relative to the file again.
  SplatEditor again = restored();
  again.show_all();
  again.select_all();
  again.delete_selected();
  SplatEditor third(with_sh_degree(original_, original_.sh_degree()));
  third.restore(again.edits(), again.colors());
  EXPECT_EQ(third.exported().count(), 0u);
}

TEST_F(Restoring, ASceneWithoutAFileIsAllAdded) {
  pick(100, 300);
  editor_.delete_selected();
  const SplatEdits edits = editor_.edits(true);
  EXPECT_EQ(edits.in_file(), 0u);
  EXPECT_EQ(edits.values.count(), kCount);
  SplatEditor other(SplatCloud(0, original_.sh_degree(), original_.kind()));
  other.restore(edits, {});
  EXPECT_TRUE(same_cloud(other.exported(), editor_.exported()));
}

}  // namespace
}  // namespace mote
