#include "app/viewer/workers/scene_merge.h"

#include <gtest/gtest.h>

#include "app/viewer/session/editable_scene.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

MergePart part(std::size_t count, int degree, std::uint32_t seed) {
  return {std::make_shared<EditableScene>(random_cloud(count, degree, seed)), {}};
}

TEST(Merging, KeepsEverySplatOfEveryPartInOrder) {
  const MergePart parts[] = {part(37, 1, 1), part(5, 2, 2), part(64, 0, 3)};
  const SplatCloud whole = merged(parts);
  ASSERT_EQ(whole.count(), 106u);
  EXPECT_EQ(whole.sh_degree(), 2);
  std::size_t first = 0;
  for (const MergePart& one : parts) {
    const SplatCloud cloud = one.scene->drawn();
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (int f = 0; f < kGaussianFields; ++f) {
        ASSERT_EQ(whole.at(first + i, static_cast<Field>(f)), cloud.at(i, static_cast<Field>(f)));
      }
      for (int k = 0; k < whole.sh_coefficients(); ++k) {
        const float expected = k < cloud.sh_coefficients() ? cloud.sh(i, k, 1) : 0;
        ASSERT_EQ(whole.sh(first + i, k, 1), expected);
      }
    }
    first += cloud.count();
  }
}

TEST(Merging, PlacesEachPart) {
  MergePart moved = part(20, 1, 4);
  moved.transform = {.scale = 2, .translation = {1, 2, 3}};
  const MergePart parts[] = {part(10, 1, 5), moved};
  const SplatCloud whole = merged(parts);
  EXPECT_NEAR(whole.at(12, Field::mean_y), 2 * moved.scene->drawn().at(2, Field::mean_y) + 2, 1e-5);
  EXPECT_EQ(whole.at(3, Field::mean_y), parts[0].scene->drawn().at(3, Field::mean_y));
}

TEST(Merging, TakesTheKernelOfTheMajorityOfSplats) {
  SplatCloud many = random_cloud(30, 0, 1);
  many.antialiased = true;
  const MergePart parts[] = {part(10, 0, 2),
                             {std::make_shared<EditableScene>(std::move(many)), {}}};
  EXPECT_TRUE(merged(parts).antialiased);
  EXPECT_FALSE(merged(std::span(parts).first(1)).antialiased);
}

TEST(Merging, ChangesTheColoursOfOnlyOnePart) {
  const auto grey = std::make_shared<EditableScene>(random_cloud(20, 1, 6));
  ColorAdjustment adjustment;
  adjustment.saturation = 0;
  grey->change([&](SplatEditor& editor) { editor.set_colors(adjustment); });
  const MergePart parts[] = {part(10, 1, 5), {grey, {}}};
  const SplatCloud whole = merged(parts);
  EXPECT_NEAR(whole.sh(12, 0, 0), whole.sh(12, 0, 2), 1e-5);
  EXPECT_EQ(whole.sh(3, 0, 0), parts[0].scene->drawn().sh(3, 0, 0));
}

}  // namespace
}  // namespace mote
