// Editing with undo and redo.
#include "splats/splat_editor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "support/editing_fixture.h"

namespace mote {
namespace {

TEST_F(Editing, ContentIsRestoredOnceAllIsUndone) {
  EXPECT_EQ(editor_.content(), 0u);
  pick(0, 10);
  editor_.hide_selected();
  editor_.place({}, {.scale = 2});
  EXPECT_EQ(editor_.content(), 0u) << "a file holds that all the same";
  editor_.show_all();
  std::vector<std::uint64_t> seen{0};
  const auto expect_another = [&] {
    EXPECT_EQ(std::count(seen.begin(), seen.end(), editor_.content()), 0);
    seen.push_back(editor_.content());
  };
  pick(0, 10);
  editor_.delete_selected();
  expect_another();
  editor_.set_colors({.exposure = 1});
  expect_another();
  editor_.set_colors({.exposure = 2}, true);
  expect_another();
  pick(20, 30);
  editor_.duplicate_selected();
  expect_another();
  editor_.undo();
  editor_.undo();
  EXPECT_EQ(editor_.content(), seen[3]) << "the selection counts for nothing";
  editor_.redo();
  editor_.redo();
  EXPECT_EQ(editor_.content(), seen[4]);
  while (editor_.undo()) {
  }
  EXPECT_EQ(editor_.content(), 0u);
  pick(0, 10);
  editor_.delete_selected();
  expect_another();
}

TEST_F(Editing, DeletedSplatsAreNeitherDrawnNorExportedUntilUndone) {
  pick(100, 300);
  ASSERT_TRUE(editor_.delete_selected());
  EXPECT_EQ(editor_.selected().count(), 0u);
  const SplatCloud drawn = editor_.drawn();
  ASSERT_EQ(drawn.count(), kCount - 200);
  EXPECT_TRUE(same_splat(drawn, 99, original_, 99));
  EXPECT_TRUE(same_splat(drawn, 100, original_, 300));
  EXPECT_TRUE(same_cloud(drawn, editor_.exported()));
  EXPECT_EQ(editor_.undo_name(), "delete");
  ASSERT_TRUE(editor_.undo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
  EXPECT_EQ(editor_.selected(), range_of(kCount, 100, 300));
  ASSERT_TRUE(editor_.redo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), drawn));
}

TEST_F(Editing, HiddenSplatsAreExportedButNeitherDrawnNorSelected) {
  pick(0, 400);
  ASSERT_TRUE(editor_.hide_selected());
  EXPECT_EQ(editor_.drawn().count(), kCount - 400);
  EXPECT_EQ(editor_.exported().count(), kCount);
  editor_.select_all();
  EXPECT_EQ(editor_.selected(), range_of(kCount, 400, kCount));
  editor_.invert_selection();
  EXPECT_EQ(editor_.selected().count(), 0u);
  ASSERT_TRUE(editor_.show_all());
  EXPECT_EQ(editor_.drawn().count(), kCount);
}

TEST_F(Editing, CopiesFollowTheOthersAndAreSelected) {
  pick(10, 20);
  ASSERT_TRUE(editor_.duplicate_selected());
  ASSERT_EQ(editor_.cloud().count(), kCount + 10);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(same_splat(editor_.cloud(), kCount + i, original_, 10 + i));
  }
  EXPECT_EQ(editor_.selected(), range_of(kCount + 10, kCount, kCount + 10));
  const SplatCloud doubled = editor_.drawn();
  ASSERT_TRUE(editor_.undo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
  EXPECT_EQ(editor_.selected(), range_of(kCount, 10, 20));
  ASSERT_TRUE(editor_.redo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), doubled));
}

TEST_F(Editing, ACropDeletesSplatsOutsideTheBox) {
  const OrientedBox box{{0, 0, 0}, {0.5, 0.5, 0.5}};
  editor_.select_all();
  ASSERT_TRUE(editor_.crop(box));
  EXPECT_EQ(editor_.drawn().count(), pick_in_box(original_, box).count());
  EXPECT_EQ(editor_.selected(), pick_in_box(original_, box));
  EXPECT_FALSE(editor_.crop(box));
}

TEST_F(Editing, SelectionsCombine) {
  pick(0, 100);
  pick(50, 200, MaskOperation::add);
  EXPECT_EQ(editor_.selected(), range_of(kCount, 0, 200));
  pick(20, 500, MaskOperation::intersect);
  EXPECT_EQ(editor_.selected(), range_of(kCount, 20, 200));
  pick(100, 300, MaskOperation::subtract);
  EXPECT_EQ(editor_.selected(), range_of(kCount, 20, 100));
  editor_.select_none();
  EXPECT_EQ(editor_.selected().count(), 0u);
}

TEST_F(Editing, TheSelectionGrowsAndShrinksAmongShownSplats) {
  editor_.select(pick_in_sphere(original_, {0, 0, 0}, 0.5), MaskOperation::replace);
  const std::size_t ball = editor_.selected().count();
  ASSERT_TRUE(editor_.grow_selection(0.2));
  const std::size_t grown = editor_.selected().count();
  EXPECT_GT(grown, ball);
  ASSERT_TRUE(editor_.shrink_selection(0.2));
  EXPECT_LT(editor_.selected().count(), grown);
}

TEST_F(Editing, ColoursAreBakedIntoExports) {
  const ColorAdjustment brighter{.exposure = 1};
  ASSERT_TRUE(editor_.set_colors(brighter));
  SplatCloud expected = random_cloud(kCount, 1, 1);
  adjust_colors(expected, brighter);
  EXPECT_TRUE(same_cloud(editor_.drawn(), expected));
  EXPECT_TRUE(same_cloud(editor_.cloud(), original_));
  ASSERT_TRUE(editor_.undo());
  EXPECT_TRUE(same_cloud(editor_.drawn(), original_));
}

TEST_F(Editing, OneGestureIsOneUndoStep) {
  editor_.set_colors({.exposure = 0.1});
  editor_.set_colors({.exposure = 0.2}, true);
  editor_.set_colors({.exposure = 0.3}, true);
  ASSERT_TRUE(editor_.undo());
  EXPECT_EQ(editor_.colors(), ColorAdjustment());
  EXPECT_FALSE(editor_.undo());
  ASSERT_TRUE(editor_.redo());
  EXPECT_EQ(editor_.colors().exposure, 0.3);
}

TEST_F(Editing, PlacementsAreUndoneAndRedoneWithoutTouchingTheSplats) {
  const Similarity start{.scale = 2}, middle{.translation = {1, 2, 3}}, end{.scale = 0.5};
  EXPECT_FALSE(editor_.placed());
  const std::uint64_t revision = editor_.revision();
  EXPECT_TRUE(editor_.place(start, middle));
  EXPECT_FALSE(editor_.place(middle, middle));
  editor_.select_all();
  EXPECT_TRUE(editor_.place(middle, start));
  EXPECT_TRUE(editor_.place(start, end, true));
  EXPECT_EQ(editor_.placements(), 4u);
  EXPECT_EQ(editor_.undo_steps(), 3u) << "a gesture is one step";
  EXPECT_EQ(editor_.undo_name(), "scene transform");
  EXPECT_TRUE(editor_.undo());
  EXPECT_EQ(*editor_.placed(), middle);
  EXPECT_TRUE(editor_.undo());
  EXPECT_EQ(*editor_.placed(), middle) << "it was the selection that went";
  EXPECT_TRUE(editor_.undo());
  EXPECT_EQ(*editor_.placed(), start);
  while (editor_.redo()) {
  }
  EXPECT_EQ(*editor_.placed(), end);
  EXPECT_EQ(editor_.revision(), revision);
}

TEST_F(Editing, AnEditWithoutEffectIsNoUndoStep) {
  EXPECT_FALSE(editor_.delete_selected());
  EXPECT_FALSE(editor_.duplicate_selected());
  EXPECT_FALSE(editor_.hide_selected());
  EXPECT_FALSE(editor_.show_all());
  EXPECT_FALSE(editor_.select_none());
  EXPECT_FALSE(editor_.set_colors({}));
  EXPECT_FALSE(editor_.undo());
  EXPECT_FALSE(editor_.redo());
  EXPECT_EQ(editor_.undo_name(), "");
}

TEST_F(Editing, ANewStepDiscardsTheRedoSteps) {
  pick(0, 10);
  editor_.delete_selected();
  editor_.undo();
  EXPECT_EQ(editor_.redo_name(), "delete");
  pick(5, 30);
  EXPECT_EQ(editor_.redo_name(), "");
  EXPECT_FALSE(editor_.redo());
}

TEST_F(Editing, TheRevisionChangesWithThePicture) {
  std::uint64_t last = editor_.revision();
  pick(0, 10);
  EXPECT_EQ(editor_.revision(), last);
  editor_.delete_selected();
  EXPECT_NE(editor_.revision(), last);
  last = editor_.revision();
  editor_.undo();
  EXPECT_NE(editor_.revision(), last);
}

TEST_F(Editing, TheHistoryStaysWithinItsLimitAndKeepsTheLastSteps) {
  constexpr std::size_t kLimit = 4000;
  SplatEditor editor(random_cloud(kCount, 0, 2), kLimit);
  for (std::size_t i = 0; i < 300; ++i) {
    editor.select(range_of(kCount, i, i + 1), MaskOperation::replace);
    editor.delete_selected();
  }
  EXPECT_LE(editor.history_bytes(), kLimit);
  std::size_t undone = 0;
  while (editor.undo()) ++undone;
  EXPECT_GT(undone, 2u);
  EXPECT_LT(undone, 300u);
  EXPECT_GT(editor.deleted().count(), 200u);
}

/// One random operation of every kind.
void edit(SplatEditor& editor, std::mt19937& random) {
  const std::size_t count = editor.cloud().count();
  const std::size_t begin = random() % count, end = begin + random() % (count - begin) / 4;
  const auto operation = static_cast<MaskOperation>(random() % 4);
  switch (random() % 7) {
    case 0:
      editor.delete_selected();
      break;
    case 1:
      editor.hide_selected();
      break;
    case 2:
      if (count < 3 * kCount) editor.duplicate_selected();
      break;
    case 3:
      editor.set_colors({.exposure = static_cast<double>(random() % 100) / 100});
      break;
    case 4:
      editor.show_all();
      break;
    default:
      editor.select(range_of(count, begin, end), operation);
  }
}

TEST_F(Editing, AnyHistoryCanBeUndoneToTheStartAndRedoneToTheEnd) {
  std::mt19937 random(7);
  for (int i = 0; i < 120; ++i) edit(editor_, random);
  const SplatCloud end = editor_.exported();
  const SplatMask selected = editor_.selected(), hidden = editor_.hidden();
  EXPECT_GT(editor_.cloud().count(), kCount);
  while (editor_.undo()) {
  }
  EXPECT_TRUE(same_cloud(editor_.cloud(), original_));
  EXPECT_EQ(editor_.shown().count(), kCount);
  while (editor_.redo()) {
  }
  EXPECT_TRUE(same_cloud(editor_.exported(), end));
  EXPECT_EQ(editor_.selected(), selected);
  EXPECT_EQ(editor_.hidden(), hidden);
}

TEST_F(Editing, AnEditedSceneCanBeWrittenAndReadAgain) {
  pick(0, 900);
  editor_.delete_selected();
  editor_.set_colors({.saturation = 0.5});
  const auto path = std::filesystem::path(::testing::TempDir()) / "mote_edited.ply";
  save_scene(editor_.exported(), path);
  EXPECT_TRUE(same_cloud(load_scene(path), editor_.exported()));
  std::filesystem::remove(path);
}

TEST(EmptyScene, CanBeEdited) {
  SplatEditor editor{SplatCloud()};
  EXPECT_FALSE(editor.select_all());
  EXPECT_FALSE(editor.delete_selected());
  EXPECT_FALSE(editor.crop({}));
  EXPECT_EQ(editor.drawn().count(), 0u);
}

TEST_F(Editing, IsolatingHidesAllButTheSelection) {
  EXPECT_FALSE(editor_.isolate_selected()) << "nothing is selected";
  pick(100, 300);
  ASSERT_TRUE(editor_.isolate_selected());
  EXPECT_EQ(editor_.shown().count(), 200u);
  EXPECT_EQ(editor_.selected().count(), 200u);
  EXPECT_EQ(editor_.exported().count(), kCount) << "hidden splats stay in the scene";
  EXPECT_FALSE(editor_.isolate_selected());
  editor_.undo();
  EXPECT_EQ(editor_.shown().count(), kCount);
}

TEST_F(Editing, TheNumberOfTheSelectionChangesWithIt) {
  const std::uint64_t none = editor_.selection_number();
  pick(0, 10);
  const std::uint64_t some = editor_.selection_number();
  EXPECT_NE(some, none);
  editor_.set_colors({.exposure = 1});
  EXPECT_EQ(editor_.selection_number(), some);
  editor_.delete_selected();
  EXPECT_NE(editor_.selection_number(), some);
  const std::uint64_t deleted = editor_.selection_number();
  editor_.undo();
  EXPECT_NE(editor_.selection_number(), deleted);
}

TEST_F(Editing, AppendedSplatsAreOneStepAndLookAsTheyWere) {
  const SplatCloud other = random_cloud(50, original_.sh_degree() + 1, 77);
  const auto copy = [&] { return with_sh_degree(other, other.sh_degree()); };
  SplatMask hidden(50);
  hidden.set(3, true);
  const ColorAdjustment colors{.exposure = 0.5, .tint = {1, 0.9, 0.8}, .saturation = 0.6};
  editor_.set_colors(colors);
  const std::uint64_t before = editor_.content();
  ASSERT_TRUE(editor_.append(copy(), hidden));
  EXPECT_EQ(editor_.cloud().count(), kCount + 50);
  EXPECT_EQ(editor_.shown().count(), kCount + 49);
  EXPECT_EQ(editor_.hidden_of_exported().indices(), (std::vector<std::uint32_t>{kCount + 3}));
  const auto expect_other = [&] {
    const SplatCloud all = editor_.exported();
    ASSERT_EQ(all.count(), kCount + 50);
    for (std::size_t i = 0; i < 50; ++i) {
      EXPECT_EQ(all.at(kCount + i, Field::mean_x), other.at(i, Field::mean_x));
      for (int k = 0; k < other.sh_coefficients(); ++k) {
        for (int c = 0; c < 3; ++c) {
          EXPECT_NEAR(all.sh(kCount + i, k, c), other.sh(i, k, c), 1e-5);
        }
      }
    }
  };
  expect_other();
  pick(kCount, kCount + 20);
  editor_.delete_selected();
  while (editor_.content() != before) ASSERT_TRUE(editor_.undo());
  EXPECT_EQ(editor_.cloud().count(), kCount);
  EXPECT_EQ(editor_.cloud().sh_degree(), original_.sh_degree());
  EXPECT_EQ(editor_.hidden().count(), 0u);
  ASSERT_TRUE(editor_.redo());
  expect_other();
  EXPECT_EQ(editor_.hidden().count(), 1u);
  EXPECT_FALSE(editor_.append(SplatCloud(0, 1), SplatMask(0)));
}

TEST_F(Editing, SplatsCannotBeAppendedToColorsThatCannotBeInverted) {
  editor_.set_colors({.saturation = 0});
  EXPECT_THROW(editor_.append(random_cloud(5, 0, 1), SplatMask(5)), Error);
  EXPECT_EQ(editor_.cloud().count(), kCount);
  editor_.set_colors({});
  SplatCloud surfels(5, 0, SplatKind::surfel);
  EXPECT_THROW(editor_.append(std::move(surfels), SplatMask(5)), Error);
}

}  // namespace
}  // namespace mote
