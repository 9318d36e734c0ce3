// Moving, turning and scaling selected splats, with undo and redo.
#include <cmath>
#include <glm/geometric.hpp>

#include "splats/transform.h"
#include "support/editing_fixture.h"

namespace mote {
namespace {

const Similarity kChange{
    .scale = 1.5, .rotation = rotation_about_axes({0.4, -0.7, 1.1}), .translation = {1, -2, 3}};

/// The cloud with splats [begin, end) moved by transform(), which moves whole clouds.
SplatCloud moved(const SplatCloud& cloud, std::size_t begin, std::size_t end,
                 const Similarity& change) {
  SplatCloud all = with_sh_degree(cloud, cloud.sh_degree());
  SplatCloud result = with_sh_degree(cloud, cloud.sh_degree());
  transform(all, change);
  for (std::size_t i = begin; i < end; ++i) copy_splat(all, i, result, i);
  return result;
}

TEST_F(Editing, SelectedSplatsMoveLikeAWholeScene) {
  pick(100, 300);
  ASSERT_TRUE(editor_.transform_selected(kChange));
  EXPECT_TRUE(same_cloud(editor_.drawn(), moved(original_, 100, 300, kChange)));
  EXPECT_TRUE(same_cloud(editor_.exported(), editor_.drawn()));
  EXPECT_EQ(editor_.selected(), range_of(kCount, 100, 300)) << "they stay selected";
}

TEST_F(Editing, UndoRestoresMovedSplatsExactly) {
  pick(100, 300);
  editor_.transform_selected(kChange);
  const std::uint64_t content = editor_.content(), revision = editor_.revision();
  EXPECT_NE(content, 0u);
  EXPECT_EQ(editor_.undo_name(), "transform");
  ASSERT_TRUE(editor_.undo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
  EXPECT_EQ(editor_.content(), 0u);
  EXPECT_NE(editor_.revision(), revision);
  ASSERT_TRUE(editor_.redo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), moved(original_, 100, 300, kChange)));
  EXPECT_EQ(editor_.content(), content);
}

TEST_F(Editing, AContinuedTransformIsOneStepWithoutRoundingErrors) {
  pick(0, 50);
  const std::size_t steps = editor_.undo_steps();
  for (int i = 1; i <= 500; ++i) {
    editor_.transform_selected({.translation = {0.01 * i, 0, 0}}, i > 1);
  }
  editor_.transform_selected(kChange, true);
  EXPECT_EQ(editor_.undo_steps(), steps + 1);
  EXPECT_TRUE(same_cloud(editor_.drawn(), moved(original_, 0, 50, kChange)));
  editor_.undo();
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
}

TEST_F(Editing, ATransformWithoutEffectAddsNoStep) {
  EXPECT_FALSE(editor_.transform_selected(kChange)) << "nothing is selected";
  pick(0, 10);
  EXPECT_FALSE(editor_.transform_selected({})) << "the identity";
  EXPECT_EQ(editor_.undo_steps(), 1u);
}

TEST_F(Editing, AGestureThatIsTakenBackLeavesNoStep) {
  pick(0, 10);
  editor_.transform_selected(kChange);
  EXPECT_FALSE(editor_.take_back("scene transform")) << "another kind of step";
  ASSERT_TRUE(editor_.take_back("transform"));
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
  EXPECT_EQ(editor_.undo_steps(), 1u);
  EXPECT_EQ(editor_.redo_steps(), 0u);
}

TEST_F(Editing, ATransformIsOneStepAmongOthers) {
  pick(0, 100);
  editor_.duplicate_selected();
  editor_.transform_selected(kChange);
  pick(0, 20);
  editor_.delete_selected();
  const SplatCloud after = editor_.drawn();
  while (editor_.undo()) {
  }
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
  while (editor_.redo()) {
  }
  EXPECT_TRUE(same_cloud(editor_.drawn(), after));
}

TEST_F(Editing, ADeviceLearnsWhichSplatsHaveMoved) {
  SplatCloud held = editor_.drawn();
  DrawnState state = editor_.drawn_state();
  const auto follow = [&]() -> std::optional<std::size_t> {
    const auto change = editor_.change_since(state);
    if (!change) return {};
    for (std::size_t i = 0; i < change->splats.size(); ++i) {
      copy_splat(change->values, i, held, change->splats[i]);
    }
    return change->splats.size();
  };
  pick(100, 120);
  editor_.transform_selected(kChange);
  EXPECT_EQ(follow(), 20u);
  EXPECT_TRUE(same_cloud(held, editor_.drawn()));
  EXPECT_EQ(follow(), 0u) << "nothing is new";
  pick(110, 140);
  editor_.transform_selected({.translation = {1, 0, 0}});
  editor_.undo();
  EXPECT_EQ(follow(), 30u);
  EXPECT_TRUE(same_cloud(held, editor_.drawn()));
  pick(0, 500);
  editor_.transform_selected(kChange);
  EXPECT_FALSE(follow()) << "half of the splats";
}

TEST_F(Editing, ADeviceThatMissedManyMovesLoadsTheSceneAnew) {
  DrawnState state = editor_.drawn_state();
  for (std::size_t i = 0; i <= MoveLog::kMost; ++i) {
    pick(2 * i, 2 * i + 1);
    editor_.transform_selected({.translation = {1, 0, 0}});
  }
  EXPECT_FALSE(editor_.change_since(state));
}

TEST_F(Editing, HiddenSplatsThatMovedAreRightWhenTheyAreShown) {
  SplatCloud held = editor_.drawn();
  DrawnState state = editor_.drawn_state();
  pick(10, 20);
  editor_.transform_selected(kChange);
  editor_.hide_selected();
  ASSERT_TRUE(editor_.change_since(state));
  editor_.show_all();
  const auto change = editor_.change_since(state);
  ASSERT_TRUE(change);
  ASSERT_EQ(change->splats.size(), 10u);
  EXPECT_TRUE(same_splat(change->values, 0, editor_.drawn(), 10));
}

TEST(SimilarityAlgebra, TheInverseUndoesTheMap) {
  const Similarity back = chained(kChange, inverse(kChange));
  EXPECT_NEAR(back.scale, 1, 1e-12);
  EXPECT_LT(glm::length(back.translation), 1e-12);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(glm::length(back.rotation[i] - glm::dmat3(1)[i]), 1e-12);
  }
}

TEST(SimilarityAlgebra, AChangeAboutAPointKeepsThePointUpToTheTranslation) {
  const glm::dvec3 pivot(3, 1, -2);
  const Similarity whole = about(kChange, pivot);
  const glm::dvec3 image = whole.scale * (whole.rotation * pivot) + whole.translation;
  EXPECT_LT(glm::length(image - (pivot + kChange.translation)), 1e-12);
}

}  // namespace
}  // namespace mote
